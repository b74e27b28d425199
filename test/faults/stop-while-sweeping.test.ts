// A worker is stopped in the middle of a long sweep (LIF-2), as where the engine has lost what it had: the rest is for whoever sweeps next,
// and its stop waits for one step of it at most.
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { testGateway } from '../harness/gateway.ts';
import { undecided } from '../harness/reports.ts';

const gateway = await testGateway({ standstillMs: 500 });
const { db } = gateway;
const many = 1_500;

test('what a long sweep has not come to when its worker is stopped is left to the next', async () => {
  const { uetr } = await undecided(gateway);
  await gateway.stopWorker();
  await db.deleteFrom('leases').execute();
  await sql`
    with copies as (select gen_random_uuid() as uetr, n from generate_series(1, ${sql.lit(many)}) n),
    paid as (
      insert into payments
      select (jsonb_populate_record(p, jsonb_build_object('uetr', c.uetr,
        'quote_id', null))).*
      from payments p, copies c where p.uetr = ${uetr})
    insert into deliveries
    select (jsonb_populate_record(d, jsonb_build_object('subject_id', c.uetr, 'delivery_id', gen_random_uuid()))).*
    from deliveries d, copies c where d.subject_id = ${uetr} and d.kind = 'instruction'`.execute(db);
  const startedAgain = async () => {
    const { rows } = await sql<{ started: number }>`
      select count(*)::int as started from audit_events where kind = 'sweep.started-again'`.execute(db);
    return rows[0]?.started ?? 0;
  };
  await gateway.startWorker();
  await vi.waitFor(async () => expect(await startedAgain()).toBeGreaterThan(20), {
    timeout: 20_000,
    interval: 20,
  });
  await gateway.stopWorker();
  const after = await startedAgain();
  expect(after).toBeLessThan(many);
}, 180_000);
