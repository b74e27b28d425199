// The worker process of the floor. It serves two task queues with the settings of activities/worker.ts, and
// its activities do nothing. bench/floor.ts starts it. It reports finished runs over the IPC channel, and
// exits when the channel closes.
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { floorQueues, type FloorActivities } from './floor-workflow.ts';

/** Messages from the worker: it is ready, or the run with this id has made its delivery. */
export type FloorWord = { readonly isReady: true } | { readonly delivered: string };

const [address, namespace, codePath] = process.argv.slice(2);
if (address === undefined || namespace === undefined || codePath === undefined) {
  throw new Error('started by bench/floor.ts with an address, a namespace and a workflow bundle');
}
const say = (word: FloorWord) => void process.send?.(word);

Runtime.install({ logger: new DefaultLogger('WARN'), shutdownSignals: [] });
const nothing = () => Promise.resolve();
const activities: FloorActivities = {
  validate: nothing,
  forward: nothing,
  decide: nothing,
  deliver: (id) => {
    say({ delivered: id });
    return Promise.resolve();
  },
};
const connection = await NativeConnection.connect({ address, grpcCompression: { codec: 'none' } });
const payments = await Worker.create({
  connection,
  namespace,
  taskQueue: floorQueues.payments,
  workflowBundle: { codePath },
  activities,
  maxCachedWorkflows: 2_000,
  maxConcurrentActivityTaskExecutions: 200,
  maxConcurrentLocalActivityExecutions: 100,
  workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 8 },
  activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 4 },
});
const deliveries = await Worker.create({
  connection,
  namespace,
  taskQueue: floorQueues.deliveries,
  activities,
  maxConcurrentActivityTaskExecutions: 200,
  activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 4 },
});
process.once('disconnect', () => process.exit(0)); // the benchmark has ended or crashed
const runs = Promise.all([payments.run(), deliveries.run()]);
say({ isReady: true });
await runs;
