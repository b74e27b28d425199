// A release is rolled out over running processes: the new api starts an execution in the new form while a worker with the code of the
// form before still polls, and a new worker goes on with it (SEC-9, LIF-2).
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleOption } from '@temporalio/worker';
import { pino } from 'pino';
import { afterAll, expect, test, vi } from 'vitest';
import { startWorker } from '../../activities/start.ts';
import type { RunningWorkers } from '../../activities/worker.ts';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { instruction } from '../harness/instruction.ts';
import { edit } from '../harness/patches.ts';
import { bestQuote, submit } from '../harness/payer.ts';
import { poisonedEngine, poisonedMessageId } from '../harness/poison.ts';
import { testWorkflowBundle } from '../harness/temporal.ts';

const root = join(import.meta.dirname, '..', '..');
const copy = mkdtempSync(join(tmpdir(), 'isthmus-form-2-'));

/** The workflow code as it was before form 3: whatever form is asked for, it keeps to the second. */
async function formBefore(): Promise<WorkflowBundleOption> {
  for (const part of ['core', 'contract', 'workflows', 'package.json'])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const [file, from] of [
    ['progress.ts', 'return (input.form ?? 1) >= form;'],
    ['resolution.ts', 'return (recorded?.form ?? 2) >= 3;'],
  ] as const) {
    const path = join(copy, 'workflows', file);
    const to =
      file === 'progress.ts' ? 'return form < 3 && (input.form ?? 1) >= form;' : 'return recorded === null;';
    writeFileSync(path, edit(readFileSync(path, 'utf8'), from, to));
  }
  return bundleWorkflowCode({
    workflowsPath: join(copy, 'workflows', 'index.ts'),
    logger: new DefaultLogger('ERROR'),
  });
}

const gateway = await testGateway({ worker: false });
const evidence = evidenceOf(gateway);
const { config, taskQueuePrefix, temporal } = gateway;
const workers: RunningWorkers[] = [];
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.shutdown()));
  rmSync(copy, { recursive: true });
});

async function worker(workflowBundle: WorkflowBundleOption, isMended: boolean): Promise<RunningWorkers> {
  const started = await startWorker(config, {
    logger: pino({ level: process.env['TEST_LOG'] ?? 'silent' }),
    workflowBundle,
    taskQueuePrefix,
    engine: poisonedEngine(() => isMended),
    sweep: { everyMs: 1_000, graceMs: 1_000, standstillMs: 4_000 },
  });
  workers.push(started);
  return started;
}

test('what the worker of the form before could not answer is judged by the next one, and no execution that it began is ended as stuck', async () => {
  const old = await worker(await formBefore(), false);
  const message = instruction(await bestQuote(gateway), { messageIdentification: poisonedMessageId() });
  const { uetr } = message;
  expect((await submit(gateway, message)).httpStatus).toBe(500);
  workers.pop();
  await old.shutdown();
  const startedAt = Date.now();
  await worker(await testWorkflowBundle(), true);
  const again = await submit(gateway, message); // its source does as it was told
  const answeredAfterMs = Date.now() - startedAt;
  await vi.waitFor(async () => expect((await evidence.decision(uetr))?.status).toBe('ACCC'), {
    timeout: 90_000,
    interval: 500,
  });
  const { events } = await temporal.workflow.getHandle(paymentWorkflowId(uetr)).fetchHistory();
  const failures = (events ?? []).flatMap(
    ({ workflowTaskFailedEventAttributes: failed }) => failed?.failure?.message ?? [],
  );
  expect({
    http: again.httpStatus,
    stuck: (await evidence.audit(uetr)).filter((kind) => kind === 'execution.stuck'),
    failures,
    paidAfterMs: answeredAfterMs,
  }).toEqual({ http: 200, stuck: [], failures: [], paidAfterMs: expect.any(Number) as number });
}, 180_000);
