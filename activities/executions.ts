// The executions of payments, as the sweep sees them (LIF-2): whether one runs, and how one that was lost is started again.
// Whatever it starts is already durable in the database; it decides nothing.
import {
  Client,
  WithStartWorkflowOperation,
  WorkflowNotFoundError,
  type ConnectionLike,
} from '@temporalio/client';
import {
  paymentWorkflowId,
  signals,
  updates,
  workflowTypes,
  type PaymentWorkflow,
  type SubmitArguments,
  type SubmitResult,
} from '../contract/ids.ts';
import {
  paymentStart,
  redeliveryStart,
  resolutionStart,
  submitUpdate,
  type StoredPaymentKey,
  type StoredRequestKey,
} from '../contract/starts.ts';

export interface Executions {
  /**
   * Ends an execution that has not ended but cannot go on: its workflow task fails again and again, or its first one left nothing
   * to wait for.
   * @returns whether there was one that goes on, one that was ended, or none
   */
  endIfStuck(workflowId: string): Promise<'running' | 'ended' | 'none'>;
  /** Starts a payment from the record, unless its execution runs. */
  start(payment: StoredPaymentKey): Promise<void>;
  /** Brings a stored submission to its payment's execution, running or new, which judges it. */
  submit(payment: StoredPaymentKey): Promise<void>;
  /** Asks a running execution to look at the record, which may know more. */
  look(uetr: string): Promise<void>;
  /** Starts a resolution from the record, unless its execution runs. */
  resolve(request: StoredRequestKey): Promise<void>;
  /** Brings what is due of a payment or resolution to its receivers again. */
  redeliver(subjectId: string): Promise<void>;
}

const callTimeoutMs = 10_000;
/** A worker that was killed or stood still may cost two; it is no harm if it was another reason, for the record goes on. */
const failedTasks = 3;
/**
 * Started, signalled, and a first task that is scheduled, started and completed: whatever a task does leaves another event. With
 * nothing pending, the worker has lost the local activity that the task waited for, and nothing will ever happen.
 */
const firstTaskEvents = 5;

export function openExecutions(
  connection: ConnectionLike,
  { namespace, taskQueuePrefix = '' }: { readonly namespace: string; readonly taskQueuePrefix?: string },
): Executions {
  const { workflow } = new Client({ connection, namespace });
  const bounded = <T>(work: () => Promise<T>) => connection.withDeadline(Date.now() + callTimeoutMs, work);
  const withStart = (payment: StoredPaymentKey) =>
    new WithStartWorkflowOperation<PaymentWorkflow>(
      workflowTypes.payment,
      paymentStart(payment, taskQueuePrefix),
    );
  const found = (workflowId: string) =>
    bounded(async () => {
      try {
        const { status, runId, raw, historyLength } = await workflow.getHandle(workflowId).describe();
        const isRunning = status.name === 'RUNNING' || status.name === 'PAUSED';
        const task = raw.pendingWorkflowTask;
        const isIdle = task == null && (raw.pendingActivities ?? []).length === 0;
        const leftNothing = isIdle && historyLength <= firstTaskEvents;
        return { isRunning, runId, isStuck: leftNothing || (task?.attempt ?? 0) > failedTasks };
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return undefined;
        throw error;
      }
    });
  return {
    endIfStuck: async (workflowId) => {
      const execution = await found(workflowId);
      if (execution?.isRunning !== true) return 'none';
      if (!execution.isStuck) return 'running';
      await bounded(() =>
        workflow
          .getHandle(workflowId, execution.runId)
          .terminate('it could not go on; the sweep continues from the record (LIF-2)'),
      );
      return 'ended';
    },
    start: (payment) =>
      bounded(async () => {
        await workflow.start(workflowTypes.payment, paymentStart(payment, taskQueuePrefix));
      }),
    submit: (payment) =>
      bounded(async () => {
        await workflow.executeUpdateWithStart<PaymentWorkflow, SubmitResult, SubmitArguments>(
          updates.submit,
          {
            ...submitUpdate(payment),
            startWorkflowOperation: withStart(payment),
          },
        );
      }),
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
  };
}
