// The client of the floor. It starts the worker process of the floor, and runs empty workflows with the shape
// of a payment on the same Temporal server.
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { WithStartWorkflowOperation, WorkflowIdConflictPolicy, type Client } from '@temporalio/client';
import { arrivals } from './closed-count.ts';
import type { FloorWord } from './floor-worker.ts';
import { floorQueues, floorType, floorUpdates, type floor, type FloorInput } from './floor-workflow.ts';
import type { Taken } from './payment-load.ts';

export interface Floor {
  /** Process id of the worker. */
  readonly pid: number;
  /** Runs one empty workflow, from its start to the delivery. */
  run(answersAtOnce: boolean): Promise<Taken>;
  stop(): Promise<void>;
}

export interface FloorOptions {
  readonly client: Client;
  readonly address: string;
  readonly namespace: string;
  /** Path of the bundled bench/floor-worker.ts. `workflowBundle` is the path of its bundled workflow. */
  readonly workerFile: string;
  readonly workflowBundle: string;
  readonly logFile: string;
  /** Time until the destination's separate report, in milliseconds. The floor waits equally long. */
  readonly answerDelayMs: number;
}

export async function startFloor(options: FloorOptions): Promise<Floor> {
  const log = openSync(options.logFile, 'w');
  const worker = fork(options.workerFile, [options.address, options.namespace, options.workflowBundle], {
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const delivered = arrivals<undefined>('delivery of the floor');
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    worker.once('exit', () => reject(new Error(`the floor's worker has ended: ${options.logFile}`)));
    worker.on('message', (word: FloorWord) => {
      if ('isReady' in word) resolve();
      else delivered.arrive(word.delivered, undefined);
    });
  });
  return {
    pid: worker.pid ?? 0,
    run: async (answersAtOnce) => {
      const id = randomUUID();
      const end = delivered.next(id);
      const begun = performance.now();
      await submit(options.client, { id, answersAtOnce });
      const submitMs = performance.now() - begun;
      if (!answersAtOnce) {
        await delay(options.answerDelayMs);
        await options.client.workflow.getHandle(id).executeUpdate(floorUpdates.report);
      }
      await end;
      return { id, answersAtOnce, submitMs, totalMs: performance.now() - begun };
    },
    stop: async () => {
      worker.removeAllListeners('exit');
      worker.disconnect();
      await Promise.race([ended, delay(3_000)]);
      worker.kill('SIGKILL');
    },
  };
}

async function submit(client: Client, input: FloorInput): Promise<void> {
  await client.workflow.executeUpdateWithStart(floorUpdates.submit, {
    startWorkflowOperation: new WithStartWorkflowOperation<typeof floor>(floorType, {
      workflowId: input.id,
      taskQueue: floorQueues.payments,
      args: [input],
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    }),
  });
}
