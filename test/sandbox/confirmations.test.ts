/** What the gateway states to a destination, and what the destination's books do with it (PAY-9, TIM-1). */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { endingIn } from '../../fixtures/endings.ts';
import {
  confirm,
  forwardedPacs008,
  instruct,
  readReport,
  startGatewayStub,
  startTestSandbox,
  statementOf,
  type GatewayStub,
} from './fixture.ts';

let gateway: GatewayStub;
let sandbox: Sandbox;

beforeEach(async () => {
  gateway = await startGatewayStub();
  sandbox = await startTestSandbox(gateway);
});

afterEach(async () => {
  await sandbox.close();
  await gateway.close();
});

const movements = () =>
  sandbox.journal.entries().flatMap((entry) => (entry.kind === 'ledger' ? entry.status : []));
const violations = () => sandbox.journal.entries().flatMap((entry) => entry.violation ?? []);

test('a confirmation of what is true is acknowledged and journaled with its bytes', async () => {
  const forwarded = forwardedPacs008({ ending: endingIn.creditedAtOnce });
  await instruct(sandbox, gateway, forwarded);
  const statement = statementOf(forwarded, 'ACCC');
  expect(await confirm(sandbox, statement)).toMatchObject({ status: 200 });
  const entry = sandbox.journal
    .entries()
    .find((one) => one.direction === 'received' && one.kind === 'pacs002');
  expect(entry).toMatchObject({ uetr: forwarded.uetr, status: 'ACCC', httpStatus: 200 });
  expect(Buffer.from(entry!.bytes!).toString()).toBe(statement);
  expect(violations()).toEqual([]);
});

test('HIGH: a negative pacs.002 takes the money back, once; an enquiry then tells RJCT AB03', async () => {
  const forwarded = forwardedPacs008({ ending: endingIn.creditedAtOnce, priority: 'HIGH' });
  await instruct(sandbox, gateway, forwarded);
  expect((await confirm(sandbox, statementOf(forwarded, 'RJCT'))).status).toBe(200);
  expect((await confirm(sandbox, statementOf(forwarded, 'RJCT'))).status).toBe(200);
  expect(movements()).toEqual(['moved', 'reversed']);
  const enquiry = await instruct(sandbox, gateway, forwarded);
  expect(await readReport(enquiry.bytes)).toMatchObject({ status: 'RJCT', reasonCode: 'AB03' });
  expect(violations()).toEqual([]);
});

test('a negative pacs.002 before the report is due keeps money from moving, and no ACCC follows', async () => {
  await sandbox.close();
  sandbox = await startTestSandbox(gateway, { timings: { answerDelayMs: 800 } }); // the rejection comes well before
  const forwarded = forwardedPacs008({ ending: endingIn.creditedLater, priority: 'HIGH' });
  const other = forwardedPacs008({ ending: endingIn.creditedLater, priority: 'HIGH' });
  gateway.respond = () => ({ status: 200, body: statementOf(other, 'ACCC') });
  await instruct(sandbox, gateway, forwarded);
  expect((await confirm(sandbox, statementOf(forwarded, 'RJCT'))).status).toBe(200);
  await instruct(sandbox, gateway, other); // due later than the first
  await gateway.untilReports(1);
  expect(await readReport(gateway.reports[0]!.bytes)).toMatchObject({ original: { uetr: other.uetr } });
  const moved = sandbox.journal.entries().filter((entry) => entry.kind === 'ledger');
  expect(moved.map(({ uetr }) => uetr)).toEqual([other.uetr]);
});

test('a negative pacs.002 that overtakes its instruction is acknowledged, and the instruction is not credited', async () => {
  const forwarded = forwardedPacs008({ ending: endingIn.creditedAtOnce, priority: 'HIGH' });
  expect((await confirm(sandbox, statementOf(forwarded, 'RJCT'))).status).toBe(200);
  const answer = await instruct(sandbox, gateway, forwarded);
  expect(await readReport(answer.bytes)).toMatchObject({ status: 'RJCT', reasonCode: 'AB03' });
  expect(movements()).toEqual([]);
});

test('NORM: a rejection of what was credited is reversed and held against the gateway (TIM-2)', async () => {
  const forwarded = forwardedPacs008({ ending: endingIn.creditedAtOnce, priority: 'NORM' });
  await instruct(sandbox, gateway, forwarded);
  expect((await confirm(sandbox, statementOf(forwarded, 'RJCT'))).status).toBe(200);
  expect(movements()).toEqual(['moved', 'reversed']);
  expect(violations()).toEqual([expect.stringContaining('TIM-2')]);
});

test.each([
  ['ACCC for a payment that was rejected here', endingIn.rejected, 'ACCC'],
  ['BLCK for a payment that was credited here', endingIn.creditedAtOnce, 'BLCK'],
  ['ACCC for a payment that is undecided here', endingIn.silent, 'ACCC'],
] as const)('%s is held against the gateway (I-4)', async (_, ending, status) => {
  const forwarded = forwardedPacs008({ ending });
  await instruct(sandbox, gateway, forwarded);
  const before = movements();
  expect((await confirm(sandbox, statementOf(forwarded, status))).status).toBe(200);
  expect(movements()).toEqual(before);
  expect(violations()).toEqual([expect.stringContaining('PAY-9')]);
});

test('ACCC for an unknown payment is 404, and original ids that do not match are 409', async () => {
  const forwarded = forwardedPacs008({ ending: endingIn.creditedAtOnce });
  expect((await confirm(sandbox, statementOf(forwarded, 'ACCC'))).status).toBe(404);
  await instruct(sandbox, gateway, forwarded);
  const original = {
    messageIdentification: 'ANOTHER',
    messageNameId: 'pacs.008.001.13',
    uetr: forwarded.uetr,
  };
  expect((await confirm(sandbox, statementOf(forwarded, 'RJCT', { original }))).status).toBe(409);
  expect(movements()).toEqual(['moved']);
  expect(violations()).toHaveLength(2);
});

test('a final that is answered without a confirmation is held against the gateway (PAY-9)', async () => {
  gateway.respond = () => ({ status: 202 });
  const forwarded = forwardedPacs008({ ending: endingIn.creditedLater });
  await instruct(sandbox, gateway, forwarded);
  const entry = await sandbox.journal.waitFor((one) => one.violation !== undefined, 60_000);
  expect(entry).toMatchObject({
    uetr: forwarded.uetr,
    violation: expect.stringContaining('PAY-9') as string,
  });
});
