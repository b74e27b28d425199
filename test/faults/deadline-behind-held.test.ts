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

test.each([0, 24])(
  'a HIGH payment without execution is decided at its deadline, behind %s that somebody holds',
  async (many) => {
    const before = await Promise.all(
      Array.from({ length: many }, () => undecided(gateway, { priority: 'HIGH' })),
    );
    const { uetr } = await undecided(gateway, { priority: 'HIGH' });
    const held = before.map((message) => message.uetr);
    await db.transaction().execute(async (holder) => {
      if (many > 0)
        await sql`select from deliveries where subject_id = any(${held}::uuid[]) and kind = 'instruction' for update`.execute(
          holder,
        );
      const isPast = async () => {
        const { rows } = await sql<{ isPast: boolean }>`
        select deadline_at < clock_timestamp() as "isPast" from payments where uetr = ${uetr}`.execute(db);
        return rows[0]?.isPast;
      };
      const nearly = sql<{
        ms: number;
      }>`select (extract(epoch from deadline_at - clock_timestamp()) * 1000)::float8 as ms
      from payments where uetr = ${uetr}`;
      await vi.waitFor(async () => expect((await nearly.execute(db)).rows[0]?.ms).toBeLessThan(1_500), {
        timeout: 25_000,
        interval: 50,
      });
      await Promise.all(
        [uetr, ...held].map((one) => temporal.workflow.getHandle(paymentWorkflowId(one)).terminate('lost')),
      );
      await vi.waitFor(async () => expect(await isPast()).toBe(true), { timeout: 5_000, interval: 50 });
      await vi.waitFor(async () => expect((await evidence.decision(uetr))?.reason_code).toBe('AB03'), {
        timeout: 15_000, // sixty times what is allowed
        interval: 100,
      });
    });
  },
  90_000,
);
