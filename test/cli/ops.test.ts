// `npm run ops` against a whole gateway: what it shows, and the effect of its commands.
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  act,
  enquire,
  listAlerts,
  listPayments,
  redeliverDead,
  redeliverOne,
  show,
} from '../../cli/ops/commands.ts';
import { printMessage } from '../../cli/ops/message.ts';
import { newestAlert, writeEvent } from '../harness/events.ts';
import { refuseMessage } from '../../db/records/refused-messages.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { opsOn } from './ops-context.ts';

const gateway = await testGateway();
const evidence = evidenceOf(gateway);

const { lines, context } = opsOn(gateway);
const text = () => lines.join('\n');
beforeEach(() => void lines.splice(0));

async function pay(ending: (typeof endingIn)[keyof typeof endingIn]): Promise<string> {
  const message = instruction(await bestQuote(gateway), { ending });
  expect((await submit(gateway, message)).httpStatus).toBe(200);
  return message.uetr;
}
async function paid(ending: (typeof endingIn)[keyof typeof endingIn]): Promise<string> {
  const uetr = await pay(ending);
  await evidence.arrival(uetr, 'source', 'pacs002');
  await evidence.closed(uetr);
  return uetr;
}

const rejected = await paid(endingIn.rejected);
const credited = await paid(endingIn.creditedAtOnce);
const all = { limit: '50' };

describe('list', () => {
  test('one line each, newest first, with what a person compares', async () => {
    await listPayments(context(), {}, all);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^judged \(UTC\) +UETR +status +state +from to +prio +sent +arrives +by$/);
    expect(lines[1]).toMatch(
      new RegExp(
        `^20[-\\d]{8} [\\d:]{8}  ${credited}  ACCC +done +SG-TH +NORM +1,000 SGD +24,900 THB +destination$`,
      ),
    );
    expect(lines[2]).toContain(`${rejected}  RJCT AC04`);
  });

  test('passes on what the gateway refuses', async () => {
    await expect(listPayments(context(), { state: 'lost' }, all)).rejects.toThrow(
      /^GET \/payments was answered with HTTP 400: Invalid request: state/,
    );
    await expect(listPayments(context(), {}, { limit: '0' })).rejects.toThrow(
      '--limit 0: it takes a whole number',
    );
  });
});

test('show: a payment with its messages, deliveries and attempts', async () => {
  await show(context(), credited, {});
  expect(lines[0]).toBe(`${credited}  ACCC  SGDFAST → THBPPAY  NORM`);
  expect(lines[1]).toMatch(/^ACCC by destination at 20/);
  expect(lines[2]).toMatch(
    /^1,000 SGD → 25,000 THB   24,900 THB to the creditor's account   from LOTUSGS0 to LOTUTHS0   FX provider \w+/,
  );
  expect(lines[3]).toBe('It has left: 1 attempt, 1 answered.');
  expect(text()).toMatch(/SGDFAST → us +pacs\.008\.001\.13/);
  expect(text()).toMatch(/callback +SGDFAST: taken 20/);
  expect(text()).toContain(`ANSWERED HTTP 200`);
  expect(text()).toContain(gateway.sandbox.callbackUrl('SGDFAST'));
  await expect(show(context(), 'ABC', {})).rejects.toThrow('ABC: name a payment by its UETR');
});

test('alerts: found, taken, noted and closed', async () => {
  await writeEvent(gateway.db, {
    severity: 'alert',
    kind: 'payment.in-doubt',
    subjectId: credited,
    party: 'THBPPAY',
  });
  await listAlerts(context(), { kind: 'payment.in-doubt' }, all);
  expect(lines[1]).toMatch(
    new RegExp(`^ *\\d+  20.{17}  alert +payment.in-doubt  - +open   THBPPAY  ${credited}$`),
  );
  const id = /^ *(\d+)/.exec(lines[1] ?? '')?.[1] ?? '';
  await act(context(), { action: 'take', id, note: undefined }, {});
  await expect(act(context(), { action: 'close', id, note: undefined }, {})).rejects.toThrow(
    '--note is missing: close needs a note, for the next shift',
  );
  await act(context(), { action: 'close', id: credited, note: 'the bank has answered', seen: id }, {});
  lines.splice(0);
  await show(context(), id, {});
  expect(text()).toMatch(/payment.in-doubt +- +closed by operator/);
  expect(text()).toMatch(
    /operator: take \d+ payment.in-doubt\n.*operator: close \d+ payment.in-doubt: the bank has answered/,
  );
  lines.splice(0);
  await listAlerts(context(), { kind: 'payment.in-doubt' }, all);
  expect(lines).toEqual(['No alert with kind payment.in-doubt is open or taken.']);
});

test('close: of a payment, the kinds that are named; without them it says which there are (OBS-6)', async () => {
  const subjectId = rejected;
  for (const kind of ['delivery.dead-letter', 'payment.contradiction'])
    await writeEvent(gateway.db, { severity: 'alert', kind, subjectId, party: 'THBPPAY' });
  const close = { action: 'close', id: rejected, note: 'it was delivered' };
  await expect(act(context(), close, {})).rejects.toThrow(
    /1 delivery\.dead-letter \(\d+\), 1 payment\.contradiction \(\d+\).*--kind.*--all/,
  );
  const seen = await newestAlert(gateway.db, rejected);
  const oneKind = { ...close, kinds: ['delivery.dead-letter'] };
  await expect(act(context(), oneKind, {})).rejects.toThrow(/Open alerts: 1 delivery.* \(\d+\)\..*--seen/);
  await act(context(), { ...oneKind, seen }, {});
  expect(text()).toMatch(/operator: close \d+ delivery.dead-letter: it was delivered/);
  lines.splice(0);
  await listAlerts(context(), { subjectId }, all);
  expect(lines).toHaveLength(3);
  expect(lines[1]).toContain('payment.contradiction');
  expect(lines[2]).toContain('docs/operations/alerts.md');
  await act(context(), { ...close, all: true, seen }, {});
  lines.splice(0);
  await listAlerts(context(), { subjectId }, all);
  expect(lines).toEqual([`No alert with subject id ${subjectId} is open or taken.`]);
  await expect(act(context(), { ...close, id: '1', all: true }, {})).rejects.toThrow(
    '1 is one alert: --kind, --all and --seen are for the case of a payment, by its UETR.',
  );
});

test('a contradiction: the list says who decided and that it was contradicted, the alert what was decided and what reported', async () => {
  const uetr = await paid(endingIn.contradicting);
  await expect.poll(() => evidence.audit(uetr)).toContain('payment.contradiction');
  await listPayments(context(), { uetr }, all);
  expect(lines[1]).toMatch(/destination, contradicted$/);
  lines.splice(0);
  await listAlerts(context(), { subjectId: uetr }, all);
  expect(lines[1]).toMatch(/payment\.contradiction +decided ACCC, reported RJCT +open/);
});

test('a message that was refused: show names the command that prints it, and no byte of it acts on the terminal (PAY-8)', async () => {
  const body = Buffer.from('<Document>\u001b[2Jnot what was asked\u0007\r\n\u202e\u009b31m</Document>');
  const message = {
    subjectId: credited,
    party: 'THBPPAY',
    inReplyTo: null,
    body,
    fault: { reported: 'RJCT' },
  };
  await refuseMessage(gateway.db, 'report.original-ids-differ', message);
  await show(context(), credited, {});
  expect(text()).toContain('THBPPAY  report.original-ids-differ  reported RJCT');
  const [, id = ''] = new RegExp(`ops message ${credited} ([0-9a-f-]{36})$`, 'm').exec(text()) ?? [];
  lines.splice(0);
  const written: Uint8Array[] = [];
  const output = (isTTY: boolean) => ({ isTTY, write: (bytes: Uint8Array) => written.push(bytes) });
  await printMessage(context(), { uetr: credited, id }, output(true));
  expect(text()).toContain('not what was asked');
  expect(text()).not.toMatch(/[^ -~\n]/);
  lines.splice(0);
  await printMessage(context(), { uetr: credited, id }, output(false));
  expect([Buffer.concat(written).equals(body), text()]).toEqual([true, '']); // into a file, byte for byte
  const missing = { uetr: credited, id: randomUUID() };
  await expect(printMessage(context(), missing, output(true))).rejects.toThrow('HTTP 404');
});

test('the refusal of a repeat with other content is shown as such, and not as what became of the payment (DUP-2)', async () => {
  const message = instruction(await bestQuote(gateway), { ending: endingIn.creditedAtOnce });
  await submit(gateway, message);
  await evidence.closed(message.uetr);
  const other = { ...message, messageIdentification: randomUUID().slice(0, 30), endToEndId: 'OTHER' };
  expect((await submit(gateway, other)).report?.status).toBe('RJCT');
  await show(context(), message.uetr, {});
  const marked = lines.filter((line) => line.endsWith('(of a repeat, not of the payment)'));
  expect(marked).toEqual([expect.stringMatching(/us → SGDFAST.*pacs\.002.*RJCT/)]);
});

test('redeliver: one payment, and dead letters with a look before', async () => {
  await redeliverOne(context(), { uetr: credited, kinds: ['notification'] }, {});
  expect(text()).toContain('✓ due again: notification.');
  await expect.poll(() => evidence.received(credited, 'fxp', 'fxtr017').length).toBe(2);
  const callback = gateway.db
    .updateTable('deliveries')
    .where('subject_id', '=', rejected)
    .where('kind', '=', 'callback');
  await callback.set({ delivered_at: null, closed_at: new Date(), closed_reason: 'expired' }).execute();
  lines.splice(0);
  const dead = { kinds: [], limit: '100' };
  await expect(redeliverDead(context(), { ...dead, limit: '0' })).rejects.toThrow(
    '--limit 0: it takes a whole number from 1 to 1000.',
  );
  await redeliverDead(context(), dead);
  expect(lines[0]).toContain(`${rejected}  callback      SGDFAST  expired`);
  expect(lines[1]).toBe('1 of 1 would be delivered again: add --yes.');
  await redeliverDead(context(), { ...dead, yes: true });
  expect(lines.at(-1)).toBe('✓ 1 of 1 are due again');
  await redeliverDead(context(), { ...dead, party: 'SG-MERI' });
  expect(lines.at(-1)).toBe('No dead letter matches.');
  await expect(redeliverDead(context(), { ...dead, party: 'NOSUCHPAY' })).rejects.toThrow(
    'NOSUCHPAY is neither',
  );
  await expect.poll(() => evidence.received(rejected, 'source', 'pacs002').length).toBe(2);
});

test('enquire: once, and not of a payment that has ended', async () => {
  const waiting = await pay(endingIn.silent);
  await evidence.arrival(waiting, 'destination', 'pacs008');
  await enquire(context(), waiting, {});
  await enquire(context(), waiting, {});
  expect(lines).toEqual([
    `✓ on record: its destination is to be asked. ops show ${waiting} says what it answers.`,
    'It was asked within the last 5 s, and is not asked twice.',
  ]);
  await expect(enquire(context(), credited, {})).rejects.toThrow(`The final status of ${credited} is ACCC`);
});

describe('whom it asks', () => {
  test('says what is missing, and what does not answer', async () => {
    await expect(show(context({ ISTHMUS_CLIENT_ID: '' }), credited, {})).rejects.toThrow(
      'set ISTHMUS_CLIENT_ID',
    );
    await expect(show(context({ ISTHMUS_URL: 'http://127.0.0.1:9' }), credited, {})).rejects.toThrow(
      'http://127.0.0.1:9 does not answer',
    );
    await expect(show(context({ ISTHMUS_CLIENT_SECRET: 'wrong' }), credited, {})).rejects.toThrow(
      'POST /oauth/token was answered with HTTP 401',
    );
    await expect(
      show(context({ ISTHMUS_CLIENT_ID: 'SGDFAST', ISTHMUS_CLIENT_SECRET: 'demo-SGDFAST' }), '1', {}),
    ).rejects.toThrow('HTTP 403');
  });
});
