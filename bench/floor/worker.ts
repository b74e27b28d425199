// The worker process of the floors. It is built, started and configured like ours (activities/main.ts,
// activities/worker.ts). Its activities do nothing but tell the client of the floor when a run has ended.
import { connect, type Socket } from 'node:net';
import {
  DefaultLogger,
  makeTelemetryFilterString,
  NativeConnection,
  Runtime,
  Worker,
} from '@temporalio/worker';
import { pino } from 'pino';
import { floorQueues, type FloorActivities, type FloorRun } from './contract.ts';

const { TEMPORAL_ADDRESS: address = '', TEMPORAL_NAMESPACE: namespace = '' } = process.env;
const [codePath = ''] = process.argv.slice(2);

const logger = pino({ level: 'info' });
Runtime.install({
  logger: new DefaultLogger('WARN', ({ message, meta }) => logger.warn(meta, message)),
  telemetryOptions: {
    logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'WARN' }) },
  },
  shutdownSignals: [],
});

/** One connection to each client of the floor, by its port and host. */
const clients = new Map<string, Socket>();

function tell({ id, tellAt: { host, port } }: FloorRun): void {
  const name = `${host}:${port}`;
  const socket = clients.get(name) ?? connect({ host, port, noDelay: true });
  clients.set(name, socket);
  socket.write(`${id}\n`);
}

const nothing = () => Promise.resolve();
const activities: FloorActivities = {
  validate: nothing,
  forward: nothing,
  decide: nothing,
  deliver: (run) => {
    tell(run);
    return Promise.resolve();
  },
  forwardToEnd: (run) => {
    if (run.answersAtOnce) tell(run);
    return Promise.resolve(run.answersAtOnce);
  },
};
const connection = await NativeConnection.connect({ address, grpcCompression: { codec: 'none' } });
const shared = {
  connection,
  namespace,
  activities,
  maxConcurrentActivityTaskExecutions: 2_000,
  activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 4 },
} as const;
const payments = await Worker.create({
  ...shared,
  taskQueue: floorQueues.payments,
  workflowBundle: { codePath },
  maxCachedWorkflows: 2_000,
  stickyQueueScheduleToStartTimeout: '2s',
  maxConcurrentLocalActivityExecutions: 100,
  workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 8 },
});
const deliveries = await Worker.create({ ...shared, taskQueue: floorQueues.deliveries });
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0));
const runs = Promise.all([payments.run(), deliveries.run()]);
logger.info('worker is running');
await runs;
