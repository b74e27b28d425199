// The process that has the lease of the sweep reaches the engine, which answers its probe, and may not ask for any
// execution: its sweeps are cut short. Another worker could do all of it (LIF-2, LIF-3).
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { engineGap } from '../harness/engine-gap.ts';
import { testGateway } from '../harness/gateway.ts';
import { undecided } from '../harness/reports.ts';
import { sweepThrough } from '../harness/sweeping.ts';

const permissionDenied = 7;
const gateway = await testGateway({ worker: false, sweepEveryMs: 500, standstillMs: 500 });
const engine = await engineGap(() => gateway.temporalAddress, permissionDenied);
const { db, temporal } = gateway;

test('a payment whose execution is lost goes on, although the worker that sweeps may ask for no execution', async () => {
  let cutShort = 0;
  const workerId = randomUUID();
  const logger = pino({ level: 'warn' }, { write: () => void (cutShort += 1) });
  const times = { everyMs: 3_000, graceMs: 1_000, standstillMs: 500 };
  const stop = await sweepThrough(gateway, engine.address, { ...times, logger, workerId });
  try {
    await vi.waitFor(async () => {
      expect(await db.selectFrom('leases').selectAll().where('name', '=', 'sweep').execute()).toHaveLength(1);
    }, 5_000);
    await gateway.startWorker(); // may do everything
    const { uetr } = await undecided(gateway);
    // its start may have cost the other the lease, in this one process
    await sql`update leases set holder = ${workerId}, held_until = clock_timestamp() + interval '6 seconds'`.execute(
      db,
    );
    engine.lose('pacs008/');
    await vi.waitFor(() => expect(engine.asked()).toBeGreaterThan(0), 20_000); // the other has begun a sweep
    const execution = () => temporal.workflow.getHandle(paymentWorkflowId(uetr));
    const { runId: before } = await execution().describe();
    await execution().terminate('by mistake');
    await vi.waitFor(async () => expect((await execution().describe()).runId).not.toBe(before), {
      timeout: 45_000, // fifteen sweeps of the one with the lease, ninety of the other
      interval: 500,
    });
    expect(cutShort).toBeGreaterThan(0);
  } finally {
    await stop();
  }
}, 120_000);
