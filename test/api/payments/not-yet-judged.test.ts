// A payment that is stored and not judged yet, and what operators hear who ask for something of it: it may still go
// out, so nobody may take it for lost (PAY-2). On a whole gateway, whose worker is never told of it.
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { withoutPayment } from '../../../api/payments/without-payment.ts';
import { enquire, listPayments, redeliverOne, show } from '../../../cli/ops/commands.ts';
import { settle } from '../../../cli/ops/settle.ts';
import { opsOn } from '../../cli/ops-context.ts';
import { evidenceOf } from '../../harness/evidence.ts';
import { testGateway } from '../../harness/gateway.ts';
import { instruction } from '../../../fixtures/instruction.ts';
import { jsonRoutes } from '../../harness/json-routes.ts';
import { bestQuote, storeOnly, submit } from '../../harness/payer.ts';
import { postReport, reportOn } from '../../harness/reports.ts';

const gateway = await testGateway();
const { lines, context } = opsOn(gateway);
beforeEach(() => void lines.splice(0));
const ask = await jsonRoutes<{ readonly code?: string; readonly detail?: string }>(gateway);

const stored = instruction(await bestQuote(gateway));
await storeOnly(gateway, stored);
const outcome = { status: 'ACCC', evidence: 'their desk, 04:10 UTC' };

/** What is asked of a payment, and its body. */
const requests = [
  ['enquiries', {}],
  ['redeliveries', {}],
  ['redeliveries', { kinds: ['callback'] }],
  ['outcomes', outcome],
  [`outcomes/${randomUUID()}/confirmation`, { status: 'ACCC' }],
] as const;

test.each(requests)('%s %j: it is stored, and may still go out (PAY-2)', async (path, body) => {
  const answer = await ask('POST', `/payments/${stored.uetr}/${path}`, body);
  expect([answer.status, answer.body.code]).toEqual([409, 'not-judged-yet']);
  expect(answer.body.detail).toContain(`${stored.uetr} is stored and not judged yet`);
  expect(answer.body.detail).toContain('do not pay again');
});

test.each(requests)('%s %j of a UETR that nobody knows: there is none', async (path, body) => {
  const uetr = randomUUID();
  const answer = await ask('POST', `/payments/${uetr}/${path}`, body);
  expect([answer.status, answer.body.code]).toEqual([404, 'unknown-payment']);
  expect(answer.body.detail).toContain(`There is no payment ${uetr}`);
  expect(answer.body.detail).toContain('the logs');
});

test.each(requests)(
  '%s %j where all that came was refused: no payment, and why (DUP-2)',
  async (path, body) => {
    const first = instruction(await bestQuote(gateway));
    await submit(gateway, first);
    const { messageIdentification } = first;
    const second = instruction(await bestQuote(gateway), { messageIdentification });
    expect((await submit(gateway, second)).report?.reasonCode).toBe('DU01');
    const answer = await ask('POST', `/payments/${second.uetr}/${path}`, body);
    expect([answer.status, answer.body.code]).toEqual([404, 'unknown-payment']);
    expect(answer.body.detail).toContain('DUP-2');
  },
);

test('a shell says the same', async () => {
  const { uetr } = stored;
  const said = 'is stored and not judged yet';
  await expect(enquire(context(), uetr, {})).rejects.toThrow(said);
  await expect(redeliverOne(context(), { uetr, kinds: [] }, {})).rejects.toThrow(said);
  await expect(settle(context(), uetr, outcome)).rejects.toThrow(said);
  await show(context(), uetr, {});
  expect(lines[0]).toContain(`${uetr}  RCVD`);
});

test('a list in which it is not says where it is', async () => {
  await listPayments(context(), { uetr: stored.uetr }, { limit: '50' });
  expect(lines).toEqual([
    `No payment with uetr ${stored.uetr}.`,
    `A payment that is stored but not yet judged is not listed and may still go out; ops show ${stored.uetr} finds it.`,
  ]);
  lines.splice(0);
  await listPayments(context(), { messageIdentification: stored.messageIdentification }, { limit: '50' });
  expect(lines[1]).toMatch(/is not listed and may still go out; ops submissions --state stored finds it\.$/);
});

test('show of a UETR that nobody knows says that there is none, and where to look on; to others no more than before (SEC-1)', async () => {
  const uetr = randomUUID();
  const { body } = await ask('GET', `/payments/${uetr}`);
  expect(body.detail).toContain(`There is no payment ${uetr}: nothing was taken in under it.`);
  expect(body.detail).toContain('the logs');
  const { body: toOthers } = await ask('GET', `/payments/${uetr}`, undefined, 'SGDFAST');
  expect(toOthers.detail).toBe(`There is no payment ${uetr} that SGDFAST may read.`);
});

test('of a UETR on which a destination reported a credit, nobody is told that only the logs know of it (PAY-2, PAY-8)', async () => {
  const uetr = randomUUID();
  const report = reportOn({ messageIdentification: 'M1', uetr });
  for (const said of [report, report.replace('>ACCC<', '>ACSP<')]) {
    expect((await postReport(gateway, said)).status).toBe(404);
  }
  const said = [
    `There is no payment ${uetr}: nothing was taken in under it. But there are alerts about it: `,
    'report.unknown-payment of THBPPAY (reported ACCC), report.unknown-payment of THBPPAY (reported ACSP).',
    `Do not pay again before you have read them: GET /alerts?subjectId=${uetr}&state=open,taken,closed`,
  ];
  const answers = [
    await ask('GET', `/payments/${uetr}`),
    ...(await Promise.all(requests.map(([path, body]) => ask('POST', `/payments/${uetr}/${path}`, body)))),
  ];
  for (const { status, body } of answers) {
    expect([status, body.code]).toEqual([404, 'unknown-payment']);
    for (const part of said) expect(body.detail).toContain(part);
    expect(body.detail).not.toContain('logs only');
  }
  await expect(show(context(), uetr, {})).rejects.toThrow('Do not pay again');
});

test('the same where a repeat was refused; the credit is named first, and of too many others how many there are (PAY-8)', async () => {
  const first = instruction(await bestQuote(gateway));
  await submit(gateway, first);
  const { messageIdentification } = first;
  const { uetr } = instruction(await bestQuote(gateway), { messageIdentification });
  await submit(gateway, instruction(await bestQuote(gateway), { messageIdentification, uetr }));
  const report = reportOn({ messageIdentification: 'M1', uetr });
  const codes = ['ACCC', ...'ABCDEF'.split('').map((letter) => `XXX${letter}`)];
  for (const code of codes) await postReport(gateway, report.replace('>ACCC<', `>${code}<`));
  const { body } = await ask('POST', `/payments/${uetr}/enquiries`, {});
  expect(body.detail).toContain('DUP-2');
  expect(body.detail).toContain(
    'But there are alerts about it: report.unknown-payment of THBPPAY (reported ACCC), ',
  );
  expect(body.detail).toContain(', and 2 more. Do not pay again');
});

test('of a payment that was judged a moment ago nobody is told that nothing has left (PAY-2)', async () => {
  const message = instruction(await bestQuote(gateway));
  await submit(gateway, message);
  await evidenceOf(gateway).closed(message.uetr);
  // as of a request that had looked for it just before
  const { detail, code } = await withoutPayment(gateway.db, message.uetr);
  expect(code).toBe('not-judged-yet');
  expect(detail).toBe(`${message.uetr} was judged while you asked for it: ask again.`);
});
