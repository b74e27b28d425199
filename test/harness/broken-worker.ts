// A worker whose executions never go on, on a task queue of its own: they wait for nothing (idle-workflow.ts), or fail
// whatever they do (failing-workflow.ts).
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import { afterAll } from 'vitest';
import type { TestGateway } from './gateway.ts';

/** @returns the task queue; the worker stops after the last test of the file */
export async function runBrokenWorker(gateway: TestGateway, kind: 'idle' | 'failing'): Promise<string> {
  const connection = await NativeConnection.connect({ address: gateway.temporalAddress });
  const taskQueue = `${gateway.taskQueuePrefix}${kind}`;
  const worker = await Worker.create({
    connection,
    namespace: gateway.config.temporal.namespace,
    taskQueue,
    workflowBundle: await bundleWorkflowCode({
      workflowsPath: join(import.meta.dirname, `${kind}-workflow.ts`),
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
