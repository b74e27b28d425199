// `npm run ops` says why a payment waits: an open breaker, no free place, no worker, or a pending enquiry. Tests
// write the workers' reports themselves.
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { enquire, listParties, redeliverOne, show } from '../../cli/ops/commands.ts';
import type { ShownEvidence } from '../../cli/ops/answers.ts';
import { printEvidence } from '../../cli/ops/show-payment.ts';
import { askStatus } from '../../db/payments/asks.ts';
import { writeReceiverStates, type ReceiverReport } from '../../db/deliveries/party-health.ts';
import { endingIn } from '../../fixtures/endings.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { heard, postReport, reportOn, undecided } from '../harness/reports.ts';
import { opsOn } from './ops-context.ts';
import { eventually } from '../harness/wait.ts';

const gateway = await testGateway();
const evidence = evidenceOf(gateway);
const { lines, context } = opsOn(gateway);
const text = () => lines.join('\n');
const minutes = { minutes: '10' };
beforeEach(() => void lines.splice(0));

const thailand = (
  await gateway.db
    .selectFrom('operators')
    .select('endpoint_url as url')
    .where('operator_id', '=', 'IPSO-TH')
    .executeTakeFirstOrThrow()
).url;
const callbacks = 'SGDFAST 127.0.0.1 http://127.0.0.1:*';

/** Reports the state of a receiver in the name of a second worker. */
const otherWorker = randomUUID();
const says = (state: Partial<ReceiverReport> & Pick<ReceiverReport, 'receiver'>) =>
  writeReceiverStates(gateway.db, otherWorker, [
    { breaker: 'closed', failuresInARow: 0, sendsUnderWay: 0, ...state },
  ]);

test('redeliver says that the breaker of the receiver is open (CBK-3)', async () => {
  const message = instruction(await bestQuote(gateway), { ending: endingIn.creditedAtOnce });
  await submit(gateway, message);
  await evidence.arrival(message.uetr, 'source', 'pacs002');
  await evidence.closed(message.uetr);
  await says({ receiver: callbacks, breaker: 'open', failuresInARow: 9 });
  await redeliverOne(context(), { uetr: message.uetr, kinds: ['callback'] }, {});
  expect(lines).toEqual([
    `✓ due again: callback. ops show ${message.uetr} says how it goes.`,
    '! callback to SGDFAST: the breaker is open in 1 of 2 workers. It goes out once a probe is answered; there is one every minute, or more often.',
  ]);
});

test('enquire and show say that the breaker of the destination is open, or that all places to it are taken', async () => {
  const { uetr } = await undecided(gateway);
  const open =
    '! instruction to THBPPAY: the breaker is open in 1 of 2 workers. It goes out once a probe is answered; there is one every minute, or more often.';
  await says({ receiver: thailand, breaker: 'probing', failuresInARow: 6 });
  await enquire(context(), uetr, {});
  expect(lines[1]).toBe(open);
  await show(context(), uetr, {});
  expect(lines.slice(2)).toContain(open);
  lines.splice(0);
  await says({ receiver: thailand, sendsUnderWay: 16 });
  await show(context(), uetr, {});
  expect(lines).toContain(
    '! instruction to THBPPAY: all 16 places were taken in 1 of 2 workers a few seconds ago. It goes out in its turn.',
  );
});

test('an enquiry that was asked for and has not gone out is what a payment waits for (DUP-1)', async () => {
  const { uetr } = await undecided(gateway);
  await heard(gateway, uetr);
  await show(context(), uetr, {});
  expect(text()).toMatch(/^waits for: enquiry, 20.{17}$/m);
  expect(await askStatus(gateway.db, uetr, () => true)).toBe(true); // without a signal to the execution
  lines.splice(0);
  await show(context(), uetr, {});
  expect(text()).toMatch(/^waits for: enquiry, due since 20.{17}$/m);
});

test('a deadline that was not kept is shown as overdue (TIM-1)', async () => {
  const { uetr } = await undecided(gateway);
  await show(context(), uetr, { json: true });
  const shown = JSON.parse(text()) as ShownEvidence;
  lines.splice(0);
  const waitsFor = { what: 'deadline', at: '2026-06-01T12:00:00.000Z' } as const;
  printEvidence(
    context().terminal,
    { ...shown, deliveries: [], waitsFor },
    { listed: undefined, paused: [] },
  );
  expect(text()).toMatch(/^waits for: deadline, due since 2026-06-01/m);
});

test('parties: of what did not count it names the payments, whose record says why (PAY-8)', async () => {
  const { uetr } = await undecided(gateway);
  const { messageId: messageIdentification = '' } = await evidence.arrival(uetr, 'destination', 'pacs008');
  const report = reportOn({ messageIdentification, uetr });
  for (const status of ['ACSC', 'ACSP'])
    expect((await postReport(gateway, report.replace('>ACCC<', `>${status}<`))).status).toBe(422);
  await listParties(context(), minutes);
  expect(text()).toContain(
    `THBPPAY: 2 of its answers and reports did not count. Why, and what they were:\n  2 of ${uetr}: ops show ${uetr}`,
  );
  lines.splice(0);
  await show(context(), uetr, {});
  expect(text()).toMatch(/report\.invalid {2}THBPPAY {2}.*reported ACSC/);
});

// last test of the file: it deletes all registered addresses
test('what can go nowhere is named, wherever its address has been withdrawn (OBS-7, CBK-5)', async () => {
  const told = instruction(await bestQuote(gateway), { ending: endingIn.creditedAtOnce });
  await submit(gateway, told);
  await evidence.arrival(told.uetr, 'source', 'pacs002');
  await evidence.closed(told.uetr);
  const waiting = await undecided(gateway);
  await gateway.db.deleteFrom('operator_callback_origins').execute();
  await gateway.db.deleteFrom('fxp_endpoints').execute();
  await gateway.db.updateTable('operators').set({ endpoint_url: 'http://elsewhere.example' }).execute(); // not https
  const of = (kind: string) => (line: string) =>
    line.startsWith(`! ${kind} to `) &&
    line.endsWith(
      ': it has no address that may be used (no-usable-address), and waits until one is registered.',
    );
  await eventually(async () => {
    lines.splice(0);
    await redeliverOne(context(), { uetr: told.uetr, kinds: ['callback', 'notification'] }, {});
    expect([lines.filter(of('callback')).length, lines.filter(of('notification')).length]).toEqual([1, 1]);
  });
  lines.splice(0);
  await show(context(), told.uetr, {});
  await enquire(context(), waiting.uetr, {});
  for (const kind of ['callback', 'notification', 'instruction']) {
    expect(lines.filter(of(kind))).toHaveLength(1);
  }
  expect(lines.join()).toContain('instruction to THBPPAY: it has no address');
});
