// The executions of payments, as the sweep sees them: whether one runs, and how one that was lost is started
// again. Whatever it starts is already durable in the database; it decides nothing.
import {
  Client,
  isGrpcServiceError,
  ScheduleAlreadyRunning,
  ServiceError,
  WorkflowNotFoundError,
  type ConnectionLike,
  type WorkflowClient,
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

export interface RunningExecution {
  readonly workflowId: string;
  readonly runId: string;
  /** Its workflow task fails again and again. */
  readonly isFailing: boolean;
  /** Its workflow task has failed, or was lost, and is tried again. */
  readonly hasFailed: boolean;
  /**
   * Neither a task nor an activity is asked for: it waits for a timer, for somebody's word, or in vain; in vain, too,
   * for an activity that somebody has paused.
   */
  readonly isIdle: boolean;
  /** An activity is offered to workers, and none has taken it: that of a broker's queue, while no worker serves those. */
  readonly awaitsWorker: boolean;
  /** Events so far. */
  readonly historyLength: number;
}

const scheduled = 1; // PENDING_ACTIVITY_STATE_SCHEDULED

/** What others do to an execution, and the tasks that this makes: that it was told something is no sign of work. */
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
  /** @throws ConfigurationError if the namespace lacks a search attribute: no workflow that sets it would go on */
  assertSearchAttributes(): Promise<void>;
  /** Whether the engine answers this process. */
  isReachable(): Promise<boolean>;
  /** The execution of that name that runs, as far as the engine can say; undefined where none does. */
  running(workflowId: string): Promise<RunningExecution | undefined>;
  /** Whether it has done anything since, not only been told. */
  hasActedSince(earlier: RunningExecution): Promise<boolean>;
  /** Ends an execution that cannot go on. */
  end(execution: RunningExecution): Promise<void>;
  /** Starts a payment from the record, unless its execution runs. */
  start(payment: StoredPaymentKey): Promise<void>;
  /** Tells a running execution that the source asks for the status. */
  enquire(uetr: string): Promise<void>;
  /** Asks a running execution to look at the record, which may know more. */
  look(uetr: string): Promise<void>;
  /** Starts a resolution from the record, unless its execution runs. */
  resolve(request: StoredRequestKey): Promise<void>;
  /** Brings what is due of a payment or resolution to its receivers again. */
  redeliver(subjectId: string): Promise<void>;
  /** Makes the schedule that sends the books of each day, unless it is there. */
  scheduleBooks(): Promise<void>;
}

const callTimeoutMs = 10_000;
const probeTimeoutMs = 3_000; // the engine answers this within milliseconds
/** A killed or stalled worker can fail two. Ending one for another reason does no harm: the record continues. */
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
      connection
        .withDeadline(Date.now() + probeTimeoutMs, () => connection.workflowService.getSystemInfo({}))
        .then(
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
          const awaitsWorker = activities.some(
            ({ state, nextAttemptScheduleTime }) =>
              Number(state) === scheduled && nextAttemptScheduleTime == null,
          );
          const attempt = task?.attempt ?? 0;
          const isFailing = attempt > failedTasks;
          const hasFailed = attempt > 1;
          return { workflowId, runId, isFailing, hasFailed, isIdle, awaitsWorker, historyLength };
        } catch (error) {
          if (error instanceof WorkflowNotFoundError) return undefined;
          throw error;
        }
      }, probeTimeoutMs), // the client tries again until then where the engine says that it has lost it
    hasActedSince: (earlier) => bounded(() => hasActedSince(connection, namespace, earlier)),
    end: ({ workflowId, runId }) =>
      bounded(async () => {
        await workflow
          .getHandle(workflowId, runId)
          .terminate('it could not go on; the sweep continues from the record (LIF-2)');
      }),
    start: (payment) =>
      bounded(async () => {
        await workflow.start(workflowTypes.payment, paymentStart(payment, taskQueuePrefix));
      }),
    enquire: (uetr) => bounded(() => workflow.getHandle(paymentWorkflowId(uetr)).signal(signals.enquire)),
    look: (uetr) => bounded(() => workflow.getHandle(paymentWorkflowId(uetr)).signal(signals.look)),
    resolve: (request) =>
      bounded(async () => {
        await workflow.start(workflowTypes.resolution, resolutionStart(request, taskQueuePrefix));
      }),
    redeliver: (subjectId) =>
      bounded(async () => {
        const options = redeliveryStart(subjectId, taskQueuePrefix);
        await workflow.signalWithStart(workflowTypes.redelivery, options);
      }),
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

/** Reads what has been added to its history since, from the newest. */
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
  error instanceof ServiceError && isGrpcServiceError(error.cause) && (error.cause.code as number) === 3; // of gRPC

async function assertSearchAttributes(workflow: WorkflowClient, namespace: string): Promise<void> {
  for (const { name } of Object.values(searchAttributes)) {
    try {
      await workflow.count(`${name} = "none"`);
    } catch (error) {
      if (!isInvalidArgument(error)) return; // it does not answer: readiness tells
      throw new ConfigurationError(
        `the Temporal namespace ${namespace} has no search attribute ${name}. Create it with docker/temporal-namespace.sh, then start the worker again.`,
      );
    }
  }
}
