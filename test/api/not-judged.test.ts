// A payment that is stored and not judged yet, and what operators hear who ask for something of it: it may still go out, so
// nobody may take it for lost (PAY-2). On a whole gateway, whose worker is never told of it.
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { enquire, listPayments, redeliverOne, show } from '../../cli/ops/commands.ts';
import { settle } from '../../cli/ops/settle.ts';
import { opsOn } from '../cli/ops-context.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../harness/instruction.ts';
import { jsonRoutes } from '../harness/json-routes.ts';
import { bestQuote, storeOnly, submit } from '../harness/payer.ts';

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
  expect(lines[1]).toMatch(/is not listed and may still go out; ops show <UETR> finds it\.$/);
});

test('show of a UETR that nobody knows says that there is none, and where to look on; to others no more than before (SEC-1)', async () => {
  const uetr = randomUUID();
  const { body } = await ask('GET', `/payments/${uetr}`);
  expect(body.detail).toContain(`There is no payment ${uetr}: nothing was taken in under it.`);
  expect(body.detail).toContain('the logs');
  const { body: toOthers } = await ask('GET', `/payments/${uetr}`, undefined, 'SGDFAST');
  expect(toOthers.detail).toBe(`There is no payment ${uetr} that SGDFAST may read.`);
});
