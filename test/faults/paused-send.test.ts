// An operator pauses the activity that sends an instruction, in the engine's UI, while it waits for its next try: its
// execution is not idle, its next tries never come, and an enquiry is overdue (LIF-2, LIF-3, TIM-2).
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { receivedOf, setEndpoint } from '../harness/destination.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { reading } from '../harness/listening.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { acceptedAgo } from '../harness/rewritten.ts';

const asked: string[] = [];
let status = 503;
const destination = await reading((response, body) => {
  asked.push(receivedOf(body).uetr);
  response.writeHead(status).end();
});
const gateway = await testGateway({
  sweepEveryMs: 500,
  standstillMs: 2_000,
  prepare: (db) => setEndpoint(db, 'IPSO-TH', destination),
});
const { db, temporal } = gateway;
const evidence = evidenceOf(gateway);

test('a payment whose send somebody has paused is enquired about all the same (LIF-2, LIF-3, TIM-2)', async () => {
  const message = instruction(await bestQuote(gateway));
  const { uetr } = message;
  expect((await submit(gateway, message)).report?.status).toBe('ACTC');
  await vi.waitFor(() => expect(asked).toEqual([uetr]), { timeout: 10_000, interval: 10 });
  await temporal.workflowService.pauseActivity({
    namespace: gateway.config.temporal.namespace,
    execution: { workflowId: paymentWorkflowId(uetr) },
    type: 'forwardPayment',
    identity: 'operator',
  });
  await vi.waitFor(async () => {
    const attempts = await evidence.attempts(uetr, 'instruction');
    expect(attempts.map(({ outcome }) => outcome)).toContain('MAYBE_SENT');
  }, 10_000);
  status = 202; // the destination is well again
  const before = asked.length;
  const delivery = sql`(select delivery_id from deliveries where subject_id = ${uetr} and kind = 'instruction')`;
  await sql`update delivery_attempts set started_at = started_at - interval '2 minutes',
    finished_at = finished_at - interval '2 minutes' where delivery_id = ${delivery}`.execute(db);
  await acceptedAgo(db, uetr, 120_000);
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(before), { timeout: 75_000, interval: 500 });
}, 120_000);
