// A rolling update: a worker with a fix starts beside one with the defect. It judges what the old worker could not
// answer.
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { startWorker } from '../../activities/start.ts';
import type { RunningWorkers } from '../../activities/worker.ts';
import type { SweepOptions } from '../../activities/sweep/sweep.ts';
import { eventually, untilPast } from '../harness/wait.ts';
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

test('a mended worker tries what could not be answered, although the one before still polls beside it for a moment', async () => {
  const quick = { everyMs: 1_000, graceMs: 1_000, standstillMs: 1_000 };
  const old = await worker(false, quick);
  const uetrs: string[] = [];
  for (let made = 0; made < 10; made += 1) uetrs.push(await unanswered());
  await untilPast(1_500); // the grace
  await worker(true, quick);
  await untilPast(3_000); // both poll
  await stop(old);
  await eventually(
    async () => expect(await Promise.all(uetrs.map(statusOf))).toEqual(uetrs.map(() => 'ACCC')),
    { everyMs: 500 },
  );
});
