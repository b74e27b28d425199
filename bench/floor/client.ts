// The client process of the floors. It is built and started like our api. It runs a round when the bench asks
// for one over HTTP, and answers with the times of its runs.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection, WithStartWorkflowOperation, WorkflowIdConflictPolicy } from '@temporalio/client';
import { pino } from 'pino';
import { arrivals, closedCount } from '../closed-count.ts';
import type { PaidRound, Taken } from '../payment-load.ts';
import { floorQueues, floorUpdates, type FloorRound, type FloorRun, type FloorShape } from './contract.ts';

const { TEMPORAL_ADDRESS: address = '', TEMPORAL_NAMESPACE: namespace = '', HOST: host = '' } = process.env;
const logger = pino({ level: 'info' });
const delivered = arrivals<undefined>('delivery of the floor');

const listener = createTcpServer((socket) => {
  createInterface({ input: socket }).on('line', (id) => delivered.arrive(id, undefined));
  socket.on('error', () => undefined); // the worker has ended
});
await new Promise<void>((resolve) => listener.listen(0, host, resolve));
const tellAt = { host, port: (listener.address() as AddressInfo).port };
const client = new Client({ connection: await Connection.connect({ address }), namespace });

async function submit(shape: FloorShape, run: FloorRun): Promise<void> {
  await client.workflow.executeUpdateWithStart(floorUpdates.submit, {
    startWorkflowOperation: new WithStartWorkflowOperation<(run: FloorRun) => Promise<void>>(shape, {
      workflowId: run.id,
      taskQueue: floorQueues.payments,
      args: [run],
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    }),
  });
}

/** Runs one empty workflow, from its start to its delivery. */
async function runOnce({ shape, answerDelayMs }: FloorRound, answersAtOnce: boolean): Promise<Taken> {
  const run = { id: randomUUID(), answersAtOnce, tellAt };
  const end = delivered.next(run.id);
  const begun = performance.now();
  await submit(shape, run);
  const submitMs = performance.now() - begun;
  if (!answersAtOnce) {
    await delay(answerDelayMs);
    await client.workflow.getHandle(run.id).executeUpdate(floorUpdates.report);
  }
  await end;
  return { id: run.id, answersAtOnce, submitMs, totalMs: performance.now() - begun };
}

/** @returns the times of the runs, and the seconds from the start of the first to the end of the last */
async function runRound(round: FloorRound): Promise<PaidRound> {
  const { answersAtOnce, concurrency } = round;
  const taken: Taken[] = [];
  const seconds = await closedCount({ tasks: answersAtOnce.length, concurrency }, async (n) => {
    taken.push(await runOnce(round, answersAtOnce[n] === true));
  });
  return { seconds, taken };
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    runRound(JSON.parse(Buffer.concat(chunks).toString()) as FloorRound).then(
      (result) => response.end(JSON.stringify(result)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0));
server.listen(Number(process.env['PORT']), host, () => logger.info('client is listening'));
