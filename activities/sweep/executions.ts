// The sweep's access to executions: it asks whether one runs, and starts a lost one again. Everything that it starts is
// already durable in the database. It decides nothing.
import {
  Client,
  isGrpcServiceError,
  ScheduleAlreadyRunning,
  ServiceError,
  WorkflowNotFoundError,
  type ConnectionLike,
  type WorkflowClient,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { paymentWorkflowId, searchAttributes, signals, workflowTypes } from '../../contract/ids.ts';
import { ConfigurationError } from '../../core/settings/environment-variables.ts';
import {
  dailyBooksSchedule,
  paymentStart,
  redeliveryStart,
  resolutionStart,
  type StoredPaymentKey,
  type StoredRequestKey,
} from '../../contract/starts.ts';
import type { Logger } from 'pino';
import type { PaymentLocalActivities, ResolutionLocalActivities } from '../../contract/activities.ts';
import type { Db } from '../../db/pool/connection.ts';

export interface SweepDependencies {
  readonly db: Db;
  readonly executions: Executions;
  /** The sweeping process runs these itself, because they need only the record. */
  readonly activities: Pick<PaymentLocalActivities, 'validatePayment' | 'decidePayment'> &
    Pick<ResolutionLocalActivities, 'judgeResolution' | 'endResolution'>;
  readonly logger: Logger;
  readonly onFound: (kind: string, count: number) => void;
  /** Id of the sweeping process (dependencies.ts). */
  readonly workerId: string;
}

export interface RunningExecution {
  readonly workflowId: string;
  readonly runId: string;
  readonly isFailing: boolean;
  /** Its workflow task has failed or was lost, and is being retried. */
  readonly hasFailed: boolean;
  /**
   * It has no pending workflow task, and no pending activity other than paused ones. It waits for a timer, for a
   * message, or in vain, for example for a paused activity.
   */
  readonly isIdle: boolean;
  /** For less than an hour, an activity waits for a worker, as one of a queue while no worker serves queues. */
  readonly awaitsWorker: boolean;
  readonly historyLength: number;
}

const scheduled = 1; // PENDING_ACTIVITY_STATE_SCHEDULED
const recentMs = 3_600_000; // then the sweep asks again: the delivery may have another address, or be too old

type PendingActivity = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];

function isUntaken({ state, nextAttemptScheduleTime, scheduledTime }: PendingActivity): boolean {
  const ageMs = Date.now() - Number(scheduledTime?.seconds ?? 0) * 1_000;
  return Number(state) === scheduled && nextAttemptScheduleTime == null && ageMs < recentMs;
}

/** Events that others cause, and the workflow tasks that follow: the execution has done nothing itself. */
const toldEvents = [
  'workflowExecutionSignaledEventAttributes',
  'workflowExecutionCancelRequestedEventAttributes',
  'workflowExecutionUpdateAdmittedEventAttributes',
  'workflowExecutionUpdateAcceptedEventAttributes',
  'workflowExecutionUpdateCompletedEventAttributes',
  'workflowTaskScheduledEventAttributes',
  'workflowTaskStartedEventAttributes',
  'workflowTaskCompletedEventAttributes',
  'workflowTaskFailedEventAttributes',
  'workflowTaskTimedOutEventAttributes',
] as const;

export interface Executions {
  /** @throws ConfigurationError if the namespace lacks a search attribute: workflows that set it would be stuck */
  assertSearchAttributes(): Promise<void>;
  isReachable(): Promise<boolean>;
  /** The running execution of that name, as far as the engine can say; undefined if there is none. */
  running(workflowId: string): Promise<RunningExecution | undefined>;
  /** Whether the execution has acted since, beyond receiving messages. */
  hasActedSince(earlier: RunningExecution): Promise<boolean>;
  end(execution: RunningExecution): Promise<unknown>;
  /** Starts a payment's execution from the record, unless one is running. */
  start(payment: StoredPaymentKey): Promise<unknown>;
  enquire(uetr: string): Promise<void>;
  /** Asks a running execution to read the record, which may know more. */
  look(uetr: string): Promise<void>;
  /** Starts a resolution's execution from the record, unless one is running. */
  resolve(request: StoredRequestKey): Promise<unknown>;
  redeliver(subjectId: string): Promise<unknown>;
  scheduleBooks(): Promise<void>;
}

const callTimeoutMs = 10_000;
const probeTimeoutMs = 3_000; // the engine normally answers within milliseconds
/** A killed worker can cause two. Ending an execution does no harm: the sweep continues from the record. */
const failedTasks = 3;

export interface ExecutionsOptions {
  readonly namespace: string;
  readonly taskQueuePrefix?: string;
}

export function openExecutions(
  connection: ConnectionLike,
  { namespace, taskQueuePrefix = '' }: ExecutionsOptions,
): Executions {
  const { workflow, schedule } = new Client({ connection, namespace });
  const bounded = <T>(work: () => Promise<T>, timeoutMs = callTimeoutMs) =>
    connection.withDeadline(Date.now() + timeoutMs, work);
  return {
    assertSearchAttributes: () => bounded(() => assertSearchAttributes(workflow, namespace)),
    isReachable: () =>
      bounded(() => connection.workflowService.getSystemInfo({}), probeTimeoutMs).then(
        () => true,
        () => false,
      ),
    running: (workflowId) =>
      bounded(async () => {
        try {
          const { status, runId, raw, historyLength } = await workflow.getHandle(workflowId).describe();
          if (status.name !== 'RUNNING' && status.name !== 'PAUSED') return undefined;
          const task = raw.pendingWorkflowTask;
          const activities = raw.pendingActivities ?? [];
          const isIdle = task == null && activities.every(({ paused }) => paused === true);
          const awaitsWorker = activities.some(isUntaken);
          const attempt = task?.attempt ?? 0;
          const isFailing = attempt > failedTasks;
          const hasFailed = attempt > 1;
          return { workflowId, runId, isFailing, hasFailed, isIdle, awaitsWorker, historyLength };
        } catch (error) {
          if (error instanceof WorkflowNotFoundError) return undefined;
          throw error;
        }
      }, probeTimeoutMs), // if the engine says that it has lost the execution, the client retries until this timeout
    hasActedSince: (earlier) => bounded(() => hasActedSince(connection, namespace, earlier)),
    end: ({ workflowId, runId }) =>
      bounded(() =>
        workflow
          .getHandle(workflowId, runId)
          .terminate('it could not go on; the sweep continues from the record (LIF-2)'),
      ),
    start: (payment) =>
      bounded(() => workflow.start(workflowTypes.payment, paymentStart(payment, taskQueuePrefix))),
    enquire: (uetr) => bounded(() => workflow.getHandle(paymentWorkflowId(uetr)).signal(signals.enquire)),
    look: (uetr) => bounded(() => workflow.getHandle(paymentWorkflowId(uetr)).signal(signals.look)),
    resolve: (request) =>
      bounded(() => workflow.start(workflowTypes.resolution, resolutionStart(request, taskQueuePrefix))),
    redeliver: (subjectId) =>
      bounded(() =>
        workflow.signalWithStart(workflowTypes.redelivery, redeliveryStart(subjectId, taskQueuePrefix)),
      ),
    scheduleBooks: () =>
      bounded(async () => {
        try {
          await schedule.create(dailyBooksSchedule(taskQueuePrefix));
        } catch (error) {
          if (!(error instanceof ScheduleAlreadyRunning)) throw error;
        }
      }),
  };
}

/** Reads the events that were added to the history since, newest first. */
async function hasActedSince(
  { workflowService }: ConnectionLike,
  namespace: string,
  { workflowId, runId, historyLength }: RunningExecution,
): Promise<boolean> {
  const execution = { workflowId, runId };
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await workflowService.getWorkflowExecutionHistoryReverse({
      namespace,
      execution,
      ...(nextPageToken && { nextPageToken }),
    });
    for (const event of page.history?.events ?? []) {
      if (Number(event.eventId) <= historyLength) return false;
      if (toldEvents.every((told) => event[told] == null)) return true;
    }
    ({ nextPageToken } = page);
  } while (nextPageToken.length > 0);
  return false;
}

const isInvalidArgument = (error: unknown) =>
  // gRPC status code INVALID_ARGUMENT
  error instanceof ServiceError && isGrpcServiceError(error.cause) && (error.cause.code as number) === 3;

async function assertSearchAttributes(workflow: WorkflowClient, namespace: string): Promise<void> {
  for (const { name } of Object.values(searchAttributes)) {
    try {
      await workflow.count(`${name} = "none"`);
    } catch (error) {
      if (!isInvalidArgument(error)) return; // the engine does not answer; readiness reports that
      throw new ConfigurationError(
        `the Temporal namespace ${namespace} has no search attribute ${name}. Create it with docker/temporal-namespace.sh, then start the worker again.`,
      );
    }
  }
}
