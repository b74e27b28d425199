// A payment is stored and not judged yet. Operators are told that it may still be sent (PAY-2). The worker of this
// gateway never learns of it.
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { withoutPayment } from '../../../api/payments/without-payment.ts';
import { show } from '../../../cli/ops/commands.ts';
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

test('of a payment that was judged a moment ago nobody is told that nothing has left (PAY-2)', async () => {
  const message = instruction(await bestQuote(gateway));
  await submit(gateway, message);
  await evidenceOf(gateway).closed(message.uetr);
  // as of a request that had looked for it just before
  const { detail, code } = await withoutPayment(gateway.db, message.uetr);
  expect(code).toBe('not-judged-yet');
  expect(detail).toBe(`${message.uetr} was judged while you asked for it: ask again.`);
});
