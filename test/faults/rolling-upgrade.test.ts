// A rolling upgrade under load, and its rollback: two builds of the worker take turns, by Worker Versioning.
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { startWorker } from '../../activities/start.ts';
import type { RunningWorkers } from '../../activities/worker.ts';
import { paymentWorkflowId } from '../../contract/ids.ts';
import { buildPacs008 } from '../../core/iso20022/build-pacs008.ts';
import { endingIn, type Ending } from '../../fixtures/endings.ts';
import { instruction } from '../../fixtures/instruction.ts';
import { distinct, evidenceOf } from '../harness/evidence.ts';
import { testGateway } from '../harness/gateway.ts';
import { bestQuote, inTurn, submitXml } from '../harness/payer.ts';
import { reportFinal } from '../harness/reports.ts';
import { testWorkflowBundle } from '../harness/temporal.ts';
import { eventually } from '../harness/wait.ts';

const gateway = await testGateway({ worker: false });
const evidence = evidenceOf(gateway);
const workflowBundle = await testWorkflowBundle();
const { workflowService, workflow, options } = gateway.temporal;
const deploymentName = `isthmus/${randomUUID()}`;

type Build = '1.0.0' | '1.0.1';
const workers = new Map<Build, RunningWorkers>();
afterAll(() => Promise.all([...workers.values()].map((worker) => worker.shutdown())));

/** Starts a worker of the build beside the running ones, and makes its build the current version. */
async function upgradeTo(buildId: Build): Promise<void> {
  const config = gateway.workerConfig;
  const versioned = {
    ...config,
    temporal: { ...config.temporal, deployment: { name: deploymentName, buildId } },
  };
  const logger = pino({ level: process.env['TEST_LOG'] ?? 'silent' });
  const { taskQueuePrefix } = gateway;
  workers.set(buildId, await startWorker(versioned, { logger, workflowBundle, taskQueuePrefix }));
  const { namespace } = options;
  const current = { namespace, deploymentName, buildId, ignoreMissingTaskQueues: true };
  const makeCurrent = () => workflowService.setWorkerDeploymentCurrentVersion(current);
  await eventually(makeCurrent, { everyMs: 200 }); // Temporal knows the build by its first poll
}

async function drain(buildId: Build): Promise<void> {
  const worker = workers.get(buildId);
  workers.delete(buildId);
  await worker?.shutdown();
}

const paid: string[] = [];
let isPaying = true;

/** As its operator does: a submission without an answer is sent again in the same bytes. */
async function submitUntilAccepted(ending: Ending): Promise<string> {
  const message = instruction(await bestQuote(gateway), { ending });
  const xml = buildPacs008(message);
  for (;;) {
    const { httpStatus, report, text } = await inTurn(() => submitXml(gateway, xml));
    if (httpStatus === 503) continue;
    expect(report?.status, text).toBe('ACTC');
    return message.uetr;
  }
}

async function payOn(ending: Ending): Promise<void> {
  while (isPaying) {
    const uetr = await submitUntilAccepted(ending);
    paid.push(uetr);
    await evidence.arrival(uetr, 'source', 'pacs002');
  }
}

async function buildOf(uetr: string): Promise<string | null | undefined> {
  const { raw } = await workflow.getHandle(paymentWorkflowId(uetr)).describe();
  return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId;
}

/** Waits until the build has worked on payments that began after now. */
async function flowsOn(build: Build): Promise<void> {
  const before = paid.length;
  await eventually(
    async () => {
      const since = paid.slice(before);
      expect(since.length).toBeGreaterThan(4);
      expect(await buildOf(since.at(-1) ?? '')).toBe(build);
    },
    { everyMs: 100, limitMs: 60_000 },
  );
}

test('a rolling upgrade and its rollback under load lose and double no payment, and waiting payments move along', async () => {
  await upgradeTo('1.0.0');
  const waiting = await submitUntilAccepted(endingIn.silent); // its destination reports after the upgrade
  const payers = Promise.all([payOn(endingIn.creditedAtOnce), payOn(endingIn.creditedLater)]);
  await Promise.race([flowsOn('1.0.0'), payers]);
  expect(await buildOf(waiting)).toBe('1.0.0');

  await upgradeTo('1.0.1');
  await flowsOn('1.0.1');
  await drain('1.0.0');
  await flowsOn('1.0.1');
  expect(await reportFinal(gateway, waiting)).toBe(200);
  await evidence.closed(waiting);
  expect(await buildOf(waiting)).toBe('1.0.1');

  await upgradeTo('1.0.0');
  await flowsOn('1.0.0');
  await drain('1.0.1');
  await flowsOn('1.0.0');
  isPaying = false;
  await payers;

  for (const uetr of [waiting, ...paid]) {
    await evidence.closed(uetr);
    expect((await evidence.decision(uetr))?.status, uetr).toBe('ACCC');
    expect(distinct(evidence.received(uetr, 'source', 'pacs002')), uetr).toBe(1);
    expect(distinct(evidence.received(uetr, 'destination', 'pacs008')), uetr).toBe(1);
  }
});
