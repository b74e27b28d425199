// The Temporal workers of a process: one for workflows, local activities and sends, one for deliveries, and
// one for the enquiries of resolutions. WORKER_SERVES can add a worker that delivers to queues, or run only
// that worker.
import { NativeConnection, Worker, type WorkflowBundleOption } from '@temporalio/worker';
import type { TemporalConfig, WorkerConfig } from '../core/settings/config.ts';
import { taskQueues } from '../contract/ids.ts';
import { temporalServer } from '../contract/server.ts';
import type { Traces } from '../telemetry/traces.ts';
import { createAskResolution } from './resolutions/ask-resolution.ts';
import type {
  BookActivities,
  DeliveryActivities,
  EnquiryActivities,
  ForwardingActivities,
  PaymentLocalActivities,
  ResolutionLocalActivities,
} from '../contract/activities.ts';
import { createDecidePayment, createReportInDoubt } from './payments/decide-payment.ts';
import { createDeliver } from './deliveries/deliver.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { createEndResolution, createFollowResolution } from './resolutions/follow-resolution.ts';
import { createForwardPayment } from './payments/forward-payment.ts';
import { createJudgeResolution } from './resolutions/judge-resolution.ts';
import { openExecutions, type Executions } from './sweep/executions.ts';
import { logAlerts } from './upkeep/log-alerts.ts';
import { probeEndpoints } from './deliveries/probe-endpoints.ts';
import { sealRecord } from './upkeep/seal-record.ts';
import { watchBooks } from './books/watch-books.ts';
import { watchLacks } from './upkeep/watch-lacks.ts';
import { createSendBooks } from './books/send-books.ts';
import { reportReceivers } from './upkeep/report-receivers.ts';
import { startSweep, type SweepOptions } from './sweep/sweep.ts';
import { createValidatePayment } from './payments/validate-payment.ts';
import { traceActivities, traceRuns } from './trace-steps.ts';
import { watchDeadlines } from './sweep/watch-deadlines.ts';

export interface WorkerOptions extends TemporalConfig {
  readonly serves: WorkerConfig['serves'];
  readonly workflowBundle: WorkflowBundleOption;
  /** Prefix of the task queue names. It isolates tests from each other. */
  readonly taskQueuePrefix?: string;
  /** Default 2,000. Tests set 0, so that every task replays its workflow. */
  readonly maxCachedWorkflows?: number;
  readonly sweep?: SweepOptions;
  /** Milliseconds between two checks whether the daily books are ready; default 10 min. */
  readonly lookAtBooksMs?: number;
  /** Absent if tracing is off. */
  readonly traces?: Traces | undefined;
  readonly onFound: (kind: string, count: number) => void;
}

export interface RunningWorkers {
  readonly finished: Promise<void>;
  /** Takes no new work, finishes the running work, then closes the connection. */
  readonly shutdown: () => Promise<void>;
  readonly isReady: () => Promise<boolean>;
}

type Activities = PaymentLocalActivities &
  ForwardingActivities &
  DeliveryActivities &
  ResolutionLocalActivities &
  EnquiryActivities &
  BookActivities;

function createActivities(deps: ActivityDependencies, executions: Executions): Activities {
  return {
    validatePayment: createValidatePayment(deps),
    decidePayment: createDecidePayment(deps),
    reportInDoubt: createReportInDoubt(deps),
    forwardPayment: createForwardPayment(deps),
    deliver: createDeliver(deps),
    judgeResolution: createJudgeResolution(deps),
    followResolution: createFollowResolution(deps),
    endResolution: createEndResolution(deps),
    askResolution: createAskResolution(deps),
    sendBooks: createSendBooks(deps, executions),
  };
}

// A send holds a slot only while a socket is open, and each receiver has at most 16 sockets. So even dozens
// of unresponsive receivers leave slots for the others.
const maxSendSlots = 2_000;

/**
 * Payments move to the current version at their next task, as they do without versions: `patched()` keeps them
 * valid in newer code.
 */
const versionOf = ({ deployment }: WorkerOptions) =>
  deployment && {
    workerDeploymentOptions: {
      useWorkerVersioning: true,
      version: { deploymentName: deployment.name, buildId: deployment.buildId },
      defaultVersioningBehavior: 'AUTO_UPGRADE',
    } as const,
  };

async function createWorkers(
  connection: NativeConnection,
  activities: Activities,
  options: WorkerOptions,
): Promise<readonly Worker[]> {
  const shared = {
    connection,
    namespace: options.namespace,
    activities,
    maxConcurrentActivityTaskExecutions: maxSendSlots,
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 4 },
    shutdownGraceTime: '12s', // Lets a running HTTP exchange end (10 s).
    ...versionOf(options),
    ...(options.traces && { interceptors: { activity: [traceActivities(options.traces)] } }),
  } as const;
  const queue = (name: keyof typeof taskQueues) => `${options.taskQueuePrefix ?? ''}${taskQueues[name]}`;
  const amqp =
    options.serves === 'payments' ? [] : [await Worker.create({ ...shared, taskQueue: queue('amqp') })];
  if (options.serves === 'amqp') return amqp;
  const payments = await Worker.create({
    ...shared,
    taskQueue: queue('payments'),
    workflowBundle: options.workflowBundle,
    sinks: traceRuns(options.traces),
    maxCachedWorkflows: options.maxCachedWorkflows ?? 2_000,
    stickyQueueScheduleToStartTimeout: '2s', // If a worker died, a payment soon moves to another worker.
    maxConcurrentLocalActivityExecutions: 100,
    workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 8 },
  });
  const deliveries = await Worker.create({ ...shared, taskQueue: queue('deliveries') });
  const enquiries = await Worker.create({ ...shared, taskQueue: queue('enquiries') });
  return [payments, deliveries, enquiries, ...amqp];
}

/**
 * Every process reports on its receivers and its resource shortages. A process that only serves queues does
 * nothing else in the background.
 */
const startReports = (deps: ActivityDependencies, { serves }: WorkerOptions): Stop[] => [
  reportReceivers(deps, serves),
  watchLacks(deps),
];

/** The background work of all processes that do more than serve queues. */
function startBeside(
  deps: ActivityDependencies,
  { executions, activities }: { readonly executions: Executions; readonly activities: Activities },
  options: WorkerOptions,
): Stop[] {
  const watching = { ...deps, executions, activities, onFound: options.onFound };
  return [
    startSweep(watching, options.sweep),
    watchDeadlines(watching),
    logAlerts(deps),
    watchBooks(deps, executions, options.lookAtBooksMs),
    probeEndpoints(deps),
    sealRecord(deps),
    ...startReports(deps, options),
  ];
}

/** A function that stops a background task after its current step. */
type Stop = () => Promise<void>;

export async function runWorkers(
  deps: ActivityDependencies,
  options: WorkerOptions,
): Promise<RunningWorkers> {
  const connection = await NativeConnection.connect({
    ...temporalServer(options, (pem) => Buffer.from(pem)),
    // Histories are a few KiB, so gzip would cost more CPU than the saved network traffic is worth.
    grpcCompression: { codec: 'none' },
  });
  const executions = openExecutions(connection, {
    namespace: options.namespace,
    ...(options.taskQueuePrefix !== undefined && { taskQueuePrefix: options.taskQueuePrefix }),
  });
  const activities = createActivities(deps, executions);
  let workers: readonly Worker[];
  try {
    await executions.assertSearchAttributes();
    workers = await createWorkers(connection, activities, options);
  } catch (error) {
    // The close fails while a worker still holds the connection.
    await connection.close().catch(() => undefined);
    throw error;
  }
  const beside =
    options.serves === 'amqp'
      ? startReports(deps, options)
      : startBeside(deps, { executions, activities }, options);
  const stopBeside = () => Promise.all(beside.map((stop) => stop()));
  const finished = Promise.all(workers.map((worker) => worker.run())).then(async () => {
    await stopBeside();
    await connection.close();
  });
  let isStopping = false;
  return {
    finished,
    isReady: async () =>
      !isStopping &&
      workers.every((worker) => worker.getState() === 'RUNNING') &&
      (await executions.isReachable()),
    shutdown: async () => {
      isStopping = true;
      // the sweep alone: the rest goes on until the workers have drained
      if (options.serves !== 'amqp') void beside[0]?.().catch(() => undefined);
      for (const worker of workers) {
        if (worker.getState() === 'RUNNING') worker.shutdown();
      }
      await finished;
    },
  };
}
