// Two workers of one release, both with the defect (SEC-9): the execution of a payment that waits is in the memory of
// the one, and the other sweeps. A repeat under its UETR that nobody can answer is brought by the one that sweeps
// (LIF-2), and is always judged by the other.
import { pino } from 'pino';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { startWorker } from '../../activities/start.ts';
import type { RunningWorkers } from '../../activities/worker.ts';
import type { SweepOptions } from '../../activities/sweep/sweep.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { poisonedEngine, poisonedMessageId } from '../harness/poison.ts';
import { undecided } from '../harness/reports.ts';
import { untilPast } from '../harness/wait.ts';
import { testWorkflowBundle } from '../harness/temporal.ts';

const gateway = await testGateway({ worker: false });
const { db, workerConfig, taskQueuePrefix } = gateway;
const workflowBundle = await testWorkflowBundle();
const workers: RunningWorkers[] = [];
afterAll(() => Promise.all(workers.map((worker) => worker.shutdown())));

async function worker(sweep: SweepOptions): Promise<void> {
  const logger = pino({ level: process.env['TEST_LOG'] ?? 'silent' });
  workers.push(
    await startWorker(workerConfig, {
      logger,
      workflowBundle,
      taskQueuePrefix,
      sweep,
      engine: poisonedEngine(),
    }),
  );
}

test('a repeat that nobody can answer is tried by each worker once, whichever of them has its payment in memory and whichever sweeps', async () => {
  await worker({ everyMs: null, graceMs: 1_000, standstillMs: 500 });
  const { uetr } = await undecided(gateway);
  await db.deleteFrom('leases').execute(); // it sweeps no more
  await worker({ everyMs: 500, graceMs: 1_000, standstillMs: 500 });
  const repeat = instruction(await bestQuote(gateway), { uetr, messageIdentification: poisonedMessageId() });
  expect((await submit(gateway, repeat)).httpStatus).toBe(500);
  const tries = async () => {
    const { rows } = await sql<{ tries: number; workers: number }>`
      select count(*)::int as tries, count(distinct detail ->> 'workerId')::int as workers
      from audit_events where subject_id = ${uetr} and kind like 'message.unanswerable%'`.execute(db);
    return rows[0];
  };
  await untilPast(6_000);
  const early = await tries();
  await untilPast(5_000);
  const late = await tries();
  expect(late).toEqual(early);
}, 120_000);
