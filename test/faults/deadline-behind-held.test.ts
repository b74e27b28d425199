// A session holds some HIGH payments for a while, and every execution is lost: one whose deadline passes behind those
// that are held is decided at its deadline all the same, by whoever watches the deadlines or sweeps (TIM-1, LIF-2,
// I-15).
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { undecided } from '../harness/reports.ts';

const gateway = await testGateway({ sweepEveryMs: 30_000, maxExecutionSeconds: 20 });
const { db, temporal } = gateway;
const evidence = evidenceOf(gateway);

test('a HIGH payment without execution is decided at its deadline, behind 24 that somebody holds', async () => {
  const before = await Promise.all(
    Array.from({ length: 24 }, () => undecided(gateway, { priority: 'HIGH' })),
  );
  const { uetr } = await undecided(gateway, { priority: 'HIGH' });
  const held = before.map((message) => message.uetr);
  const untilDeadline = async () => {
    const { rows } = await sql<{ ms: number }>`
      select (extract(epoch from deadline_at - clock_timestamp()) * 1000)::float8 as ms
      from payments where uetr = ${uetr}`.execute(db);
    return rows[0]?.ms;
  };
  await db.transaction().execute(async (holder) => {
    await sql`
      select from deliveries where subject_id = any(${held}::uuid[]) and kind = 'instruction' for update`.execute(
      holder,
    );
    await vi.waitFor(async () => expect(await untilDeadline()).toBeLessThan(1_500), {
      timeout: 25_000,
      interval: 50,
    });
    await Promise.all(
      [uetr, ...held].map((one) => temporal.workflow.getHandle(paymentWorkflowId(one)).terminate('lost')),
    );
    await vi.waitFor(async () => expect((await evidence.decision(uetr))?.reason_code).toBe('AB03'), {
      timeout: 17_000, // it comes after the deadline at once; behind the others it would be 36 s
      interval: 100,
    });
  });
}, 90_000);
