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
  /** Whether the payment has an execution that has not ended. */
  isRunning(uetr: string): Promise<boolean>;
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
  return {
    isRunning: (uetr) =>
      bounded(async () => {
        try {
          const { status } = await workflow.getHandle(paymentWorkflowId(uetr)).describe();
          return status.name === 'RUNNING' || status.name === 'PAUSED';
        } catch (error) {
          if (error instanceof WorkflowNotFoundError) return false;
          throw error;
        }
      }),
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
