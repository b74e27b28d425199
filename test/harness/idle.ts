// A worker whose executions run, wait for nothing and never go on (idle-workflow.ts), on a task queue of its own.
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import { afterAll } from 'vitest';
import type { TestGateway } from './gateway.ts';

/** @returns the task queue; the worker stops after the last test of the file */
export async function runIdleWorker(gateway: TestGateway): Promise<string> {
  const connection = await NativeConnection.connect({ address: gateway.temporalAddress });
  const taskQueue = `${gateway.taskQueuePrefix}idle`;
  const worker = await Worker.create({
    connection,
    namespace: gateway.config.temporal.namespace,
    taskQueue,
    workflowBundle: await bundleWorkflowCode({
      workflowsPath: join(import.meta.dirname, 'idle-workflow.ts'),
      logger: new DefaultLogger('ERROR'),
    }),
  });
  const working = worker.run();
  afterAll(async () => {
    worker.shutdown();
    await working;
    await connection.close();
  });
  return taskQueue;
}
