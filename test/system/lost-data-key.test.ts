// The data key of this month is lost while everything runs, as by a fail-over to a copy that lags behind (SEC-3): what came
// before cannot be read by anybody: what nobody had judged is answered, what was accepted goes on from the record (LIF-2),
// and whatever comes from then on is paid as ever (SEC-9).
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { undecided } from '../harness/reports.ts';
import { acceptedAgo, rewritten } from '../harness/rewritten.ts';
import type { OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { eventually } from '../harness/wait.ts';

const gateway = await testGateway({
  sealingKeys: `now:${randomBytes(32).toString('base64')}`,
  sweepEveryMs: 500,
  standstillMs: 1_000,
});
const { db } = gateway;
const evidence = evidenceOf(gateway);
const isStored = async ({ uetr }: OriginalPacs008) => {
  const { rows } = await sql`select from messages where subject_id = ${uetr}`.execute(db);
  return rows.length > 0;
};

let unread: OriginalPacs008;
/** Accepted a day ago; its destination says nothing. */
let accepted: OriginalPacs008;

beforeAll(async () => {
  accepted = await undecided(gateway);
  await gateway.stopWorker();
  unread = instruction(await bestQuote(gateway), {});
  void submit(gateway, unread);
  await eventually(async () => expect(await isStored(unread)).toBe(true));
  await rewritten(db, sql`delete from data_keys`);
  await acceptedAgo(db, accepted.uetr, 25 * 3_600_000);
});

test('the api stores nothing under it: what it is sent is answered 503 and then taken', async () => {
  const next = instruction(await bestQuote(gateway), {});
  expect((await submit(gateway, next)).httpStatus).toBe(503);
  expect(await isStored(next)).toBe(false);
  await gateway.startWorker();
  await eventually(async () => expect((await submit(gateway, next)).report?.status).toBe('ACCC'));
});

test('what was stored and cannot be read is answered RJCT NARR, with an alert, and no task is tried for ever (SEC-9)', async () => {
  const { uetr } = unread;
  expect(await evidence.arrival(uetr, 'source', 'pacs002', 'RJCT')).toMatchObject({ reasonCode: 'NARR' });
  expect(await evidence.audit(uetr)).toContain('message.defect');
  const execution = gateway.temporal.workflow.getHandle(paymentWorkflowId(uetr));
  await eventually(async () => expect((await execution.describe()).status.name).not.toBe('RUNNING'));
});

test('its sender, who sends the same bytes again, is told the same', async () => {
  expect((await submit(gateway, unread)).report).toMatchObject({ status: 'RJCT', reasonCode: 'NARR' });
});

test('a payment that was accepted before goes on from the record: it is in doubt in time, and operators record its end (TIM-2, LIF-2, LIF-4)', async () => {
  const { uetr } = accepted;
  await eventually(async () => expect(await evidence.audit(uetr)).toContain('payment.in-doubt'));
  expect(await evidence.audit(uetr)).not.toContain('message.unanswerable');
  const recorded = await fetch(`${gateway.url}/payments/${uetr}/outcomes`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await gateway.token('operator')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ status: 'RJCT', reasonCode: 'AC04', evidence: 'mail of the destination' }),
  });
  expect(recorded.status).toBe(200);
});
