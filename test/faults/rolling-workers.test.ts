// A worker with the mended code starts beside the one that has the defect (SEC-9, LIF-2): it tries once what could not
// be answered, whoever holds the lease of the sweep, and whoever polls beside it.
import { pino } from 'pino';
import { sql } from 'kysely';
import { afterEach, expect, test, vi } from 'vitest';
import { startWorker } from '../../activities/start.ts';
import type { RunningWorkers } from '../../activities/worker.ts';
import type { SweepOptions } from '../../activities/sweep/sweep.ts';
import { untilPast } from '../harness/wait.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { poisonedEngine, poisonedMessageId } from '../harness/poison.ts';
import { testWorkflowBundle } from '../harness/temporal.ts';

const gateway = await testGateway({ worker: false });
const evidence = evidenceOf(gateway);
const { db, workerConfig, taskQueuePrefix } = gateway;
const workflowBundle = await testWorkflowBundle();
const workers: RunningWorkers[] = [];
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.shutdown()));
  await db.deleteFrom('leases').execute();
});

async function worker(isMended: boolean, sweep: SweepOptions): Promise<RunningWorkers> {
  const logger = pino({ level: process.env['TEST_LOG'] ?? 'silent' });
  const engine = poisonedEngine(() => isMended);
  const started = await startWorker(workerConfig, { logger, workflowBundle, taskQueuePrefix, sweep, engine });
  workers.push(started);
  return started;
}

const stop = async (one: RunningWorkers) => {
  workers.splice(workers.indexOf(one), 1);
  await one.shutdown();
};

async function unanswered(): Promise<string> {
  const message = instruction(await bestQuote(gateway), { messageIdentification: poisonedMessageId() });
  expect((await submit(gateway, message)).httpStatus).toBe(500);
  return message.uetr;
}

const statusOf = async (uetr: string) => (await evidence.decision(uetr))?.status;

// in the proportions of the defaults: a sweep every 30 s, a grace of 15 s, a standstill of 10 s
const graceMs = 2_000;
const sweep = { everyMs: 2 * graceMs, graceMs, standstillMs: 1_000 };

/**
 * The mended worker starts while what could not be answered is younger than the grace. A machine that needs longer than
 * that to start a worker says so, and it begins anew.
 */
async function mendedSoonAfter(hasOlder: boolean): Promise<string> {
  const young = await unanswered();
  const mended = await worker(true, sweep);
  const { rows } = await sql<{ isYoung: boolean; isLeased: boolean }>`
    select m.created_at > now() - ${`${graceMs} milliseconds`}::interval as "isYoung", l.held_until > now() as "isLeased"
    from messages m, leases l where m.subject_id = ${young} and m.direction = 'in' and l.name = 'sweep'`.execute(
    db,
  );
  expect(rows).toMatchObject([{ isLeased: true }]);
  if (rows[0]?.isYoung === true) return young;
  process.stderr.write(`${graceMs} ms were over before the mended worker had started: once more\n`);
  await stop(mended);
  await older(hasOlder);
  return await mendedSoonAfter(hasOlder);
}

async function older(isWanted: boolean): Promise<void> {
  if (!isWanted) return;
  await unanswered();
  await untilPast(graceMs + 1_000);
}

for (const hasOlder of [false, true]) {
  const beside = hasOlder ? ', although there was something older to try at once' : '';
  test(`what could not be answered a moment before the mended worker started beside the old one is tried by it, once that one has gone${beside}`, async () => {
    const old = await worker(false, sweep);
    await older(hasOlder);
    const young = await mendedSoonAfter(hasOlder);
    await untilPast(sweep.everyMs);
    await stop(old);
    await vi.waitFor(async () => expect(await statusOf(young)).toBe('ACCC'), {
      timeout: 60_000, // six sweeps, of which the last four at least have the lease
      interval: 500,
    });
  }, 150_000);
}

test('a mended worker tries what could not be answered, although the one before still polls beside it for a moment', async () => {
  const quick = { everyMs: 1_000, graceMs: 1_000, standstillMs: 1_000 };
  const old = await worker(false, quick);
  const uetrs: string[] = [];
  for (let made = 0; made < 10; made += 1) uetrs.push(await unanswered());
  await untilPast(1_500); // the grace
  await worker(true, quick);
  await untilPast(3_000); // both poll
  await stop(old);
  await vi.waitFor(
    async () => expect(await Promise.all(uetrs.map(statusOf))).toEqual(uetrs.map(() => 'ACCC')),
    { timeout: 30_000, interval: 500 },
  );
}, 120_000);
