// The sweep's access to workflow executions: it checks whether one runs, and restarts a lost one. Everything
// that it starts is already durable in the database. This module makes no decisions.
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
  /** The sweeping process runs these activities itself, because they need only the database. */
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
  /** Its workflow task has failed or timed out, and is being retried. */
  readonly hasFailed: boolean;
  /**
   * It has no pending workflow task, and no pending activity except paused ones. It waits for a timer or a
   * message, or it is stuck, for example behind a paused activity.
   */
  readonly isIdle: boolean;
  /** An activity has waited less than an hour for a worker, for example because no worker serves queues. */
  readonly awaitsWorker: boolean;
  readonly historyLength: number;
}

const scheduled = 1; // PENDING_ACTIVITY_STATE_SCHEDULED
// One hour. Afterwards the sweep signals again: the delivery may have a new address, or be too old.
const recentMs = 3_600_000;

type PendingActivity = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];

function isUntaken({ state, nextAttemptScheduleTime, scheduledTime }: PendingActivity): boolean {
  const ageMs = Date.now() - Number(scheduledTime?.seconds ?? 0) * 1_000;
  return Number(state) === scheduled && nextAttemptScheduleTime == null && ageMs < recentMs;
}

/**
 * Events that others cause, and the workflow tasks that follow. They do not show that the execution itself
 * acted.
 */
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
  /**
   * @throws ConfigurationError if the namespace lacks a search attribute; workflows that set it would get
   * stuck
   */
  assertSearchAttributes(): Promise<void>;
  isReachable(): Promise<boolean>;
  /** The running execution with this workflow id, as reported by Temporal; undefined if there is none. */
  running(workflowId: string): Promise<RunningExecution | undefined>;
  /** Whether the execution has acted since then, beyond receiving messages. */
  hasActedSince(earlier: RunningExecution): Promise<boolean>;
  end(execution: RunningExecution): Promise<unknown>;
  /** Starts a payment's execution from the database, unless one is running. */
  start(payment: StoredPaymentKey): Promise<unknown>;
  enquire(uetr: string): Promise<void>;
  /** Asks a running execution to read the database, which may hold newer facts. */
  look(uetr: string): Promise<void>;
  /** Starts a resolution's execution from the database, unless one is running. */
  resolve(request: StoredRequestKey): Promise<unknown>;
  redeliver(subjectId: string): Promise<unknown>;
  scheduleBooks(): Promise<void>;
}

const callTimeoutMs = 10_000;
const probeTimeoutMs = 3_000; // Temporal normally answers within milliseconds.
/**
 * A killed worker can cause two. Ending an execution is harmless, because the sweep resumes from the
 * database.
 */
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
      }, probeTimeoutMs), // If Temporal has lost the execution, the client retries until this timeout.
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

/** Reads the history events that were added since then, newest first. */
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
  // The gRPC status code INVALID_ARGUMENT is 3.
  error instanceof ServiceError && isGrpcServiceError(error.cause) && (error.cause.code as number) === 3;

async function assertSearchAttributes(workflow: WorkflowClient, namespace: string): Promise<void> {
  for (const { name } of Object.values(searchAttributes)) {
    try {
      await workflow.count(`${name} = "none"`);
    } catch (error) {
      if (!isInvalidArgument(error)) return; // Temporal does not answer; the readiness check reports that.
      throw new ConfigurationError(
        `the Temporal namespace ${namespace} has no search attribute ${name}. Create it with docker/temporal-namespace.sh, then start the worker again.`,
      );
    }
  }
}
