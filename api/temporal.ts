// The only way from the api to Temporal: starts payments, hands them the destination's reports, starts redeliveries.
// What it is asked for is durable in the database before; it must not decide anything.
import {
  Client,
  Connection,
  WithStartWorkflowOperation,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  type WorkflowStartOptions,
} from '@temporalio/client';
import type { TemporalConfig } from '../core/config.ts';
import type { Decision, ResolutionRequest, Submission } from '../activities/contract.ts';
import {
  paymentWorkflowId,
  redeliverySignal,
  redeliveryWorkflowId,
  resolutionWorkflowId,
  searchAttributes,
  taskQueues,
  updates,
  workflowTypes,
  type PaymentInput,
  type ReportFinalArguments,
  type ResolveArguments,
  type SubmitArguments,
  type SubmitResult,
} from '../workflows/ids.ts';
import { TemporalUnavailable } from './failures.ts';

export interface PaymentSubmission extends Submission {
  readonly uetr: string;
  readonly sourceSystem: string;
  /** Country of the creditor agent, if it is known before validation: for the Temporal UI. */
  readonly destinationCountry: string | undefined;
  /** Whether the payment is known already: an enquiry is not answered from the first update's result. */
  readonly isRepeat: boolean;
}

export interface ResolutionSubmission extends ResolutionRequest {
  /** Its MsgId. */
  readonly messageIdentification: string;
  readonly sourceSystem: string;
  /** For the Temporal UI. */
  readonly destinationCountry: string | undefined;
  readonly maxResolutionSeconds: number;
  /** Whether the resolution is known already: it is not answered from the first update's result. */
  readonly isRepeat: boolean;
}

export interface ResolutionWorkflows {
  /** Starts the resolution, or finds it, and waits for its answer (RES-1). */
  resolve(submission: ResolutionSubmission): Promise<SubmitResult>;
  /** Delivers again what was asked for again (DUP-1). */
  redeliver(resolutionId: string): Promise<void>;
}

export interface PaymentWorkflows {
  /** Starts the payment, or finds it, and waits for the answer to this submission (PAY-1). */
  submit(submission: PaymentSubmission): Promise<SubmitResult>;
  /** Hands a stored final report of the destination to the payment; answers the decision that stands (PAY-8). */
  reportFinal(payment: { uetr: string; sourceSystem: string; reportMessageId: string }): Promise<Decision>;
  /** Delivers again what was asked for again (DUP-1). */
  redeliver(uetr: string): Promise<void>;
  /** Resolves when Temporal answers. */
  check(): Promise<unknown>;
  close(): Promise<void>;
}

const callTimeoutMs = 10_000; // an operator that waits longer sends the same message again

export interface TemporalOptions {
  /** Tests keep apart by a prefix of the task queues' names. */
  readonly taskQueuePrefix?: string;
}

/** A payment's execution, started or found. */
function paymentStart(
  payment: { uetr: string; sourceSystem: string; destinationCountry?: string | undefined },
  taskQueuePrefix: string,
) {
  const { uetr, sourceSystem, destinationCountry } = payment;
  const options: WorkflowStartOptions & { workflowIdConflictPolicy: WorkflowIdConflictPolicy } = {
    workflowId: paymentWorkflowId(uetr),
    taskQueue: `${taskQueuePrefix}${taskQueues.payments}`,
    args: [{ uetr } satisfies PaymentInput],
    workflowTaskTimeout: '5s', // a worker killed in the middle of a task is noticed well before a HIGH deadline (TIM-1)
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    // The database is the authority on duplicates: an execution that was lost can be made again from it.
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    staticSummary:
      destinationCountry === undefined
        ? `Payment from ${sourceSystem}`
        : `Payment from ${sourceSystem} to ${destinationCountry}`,
    typedSearchAttributes: [
      { key: searchAttributes.uetr, value: uetr },
      { key: searchAttributes.status, value: 'RCVD' },
      { key: searchAttributes.sourceSystem, value: sourceSystem },
    ],
  };
  return new WithStartWorkflowOperation(workflowTypes.payment, options);
}

/** A resolution's execution, started or found. */
function resolutionStart(submission: ResolutionSubmission, taskQueuePrefix: string) {
  const { sourceSystem, messageIdentification, destinationCountry, messageId } = submission;
  const options: WorkflowStartOptions & { workflowIdConflictPolicy: WorkflowIdConflictPolicy } = {
    workflowId: resolutionWorkflowId(sourceSystem, messageIdentification),
    taskQueue: `${taskQueuePrefix}${taskQueues.payments}`,
    args: [],
    workflowTaskTimeout: '5s', // a worker killed in the middle of a task is noticed before the deadline (RES-1)
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE, // the database is the authority on duplicates
    staticSummary:
      destinationCountry === undefined
        ? `Resolution from ${sourceSystem}`
        : `Resolution from ${sourceSystem} to ${destinationCountry}`,
    typedSearchAttributes: [
      { key: searchAttributes.uetr, value: messageId }, // the resolution's id, unless it repeats another
      { key: searchAttributes.sourceSystem, value: sourceSystem },
    ],
  };
  return new WithStartWorkflowOperation(workflowTypes.resolution, options);
}

export async function connectTemporal(
  config: TemporalConfig,
  { taskQueuePrefix = '' }: TemporalOptions = {},
): Promise<PaymentWorkflows & ResolutionWorkflows> {
  const connection = await Connection.connect({ address: config.address });
  const client = new Client({ connection, namespace: config.namespace });

  /** Every call has an end; a failure to answer is told apart from a refusal. */
  async function call<T>(waitMs: number, work: () => Promise<T>): Promise<T> {
    try {
      return await connection.withDeadline(Date.now() + callTimeoutMs + waitMs, work);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError || error instanceof WorkflowUpdateFailedError) throw error;
      throw new TemporalUnavailable('Temporal did not answer', { cause: error });
    }
  }

  return {
    submit: (submission) =>
      call(submission.waitSeconds * 1_000, () =>
        client.workflow.executeUpdateWithStart<never, SubmitResult, SubmitArguments>(updates.submit, {
          // the same message at the same time is one update, per time that it waits; an enquiry is its own
          ...(submission.isRepeat ? {} : { updateId: `${submission.messageId}/${submission.waitSeconds}` }),
          args: [{ messageId: submission.messageId, waitSeconds: submission.waitSeconds }],
          startWorkflowOperation: paymentStart(submission, taskQueuePrefix) as never,
        }),
      ),
    resolve: (submission) =>
      call(submission.maxResolutionSeconds * 1_000, () =>
        client.workflow.executeUpdateWithStart<never, SubmitResult, ResolveArguments>(updates.resolve, {
          ...(submission.isRepeat ? {} : { updateId: submission.messageId }), // the same message is one update
          args: [{ messageId: submission.messageId }],
          startWorkflowOperation: resolutionStart(submission, taskQueuePrefix) as never,
        }),
      ),
    reportFinal: async ({ uetr, sourceSystem, reportMessageId }) => {
      const options = { updateId: reportMessageId, args: [{ reportMessageId }] as ReportFinalArguments };
      try {
        return await call(0, () =>
          client.workflow
            .getHandle(paymentWorkflowId(uetr))
            .executeUpdate<Decision, ReportFinalArguments>(updates.reportFinal, options),
        );
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
        // closed meanwhile, or lost: a new execution takes the report, and the record decides
        return call(0, () =>
          client.workflow.executeUpdateWithStart<never, Decision, ReportFinalArguments>(updates.reportFinal, {
            args: options.args,
            startWorkflowOperation: paymentStart({ uetr, sourceSystem }, taskQueuePrefix) as never,
          }),
        );
      }
    },
    redeliver: async (uetr) => {
      await call(0, () =>
        client.workflow.signalWithStart(workflowTypes.redelivery, {
          signal: redeliverySignal,
          workflowId: redeliveryWorkflowId(uetr),
          taskQueue: `${taskQueuePrefix}${taskQueues.payments}`,
          args: [{ uetr } satisfies PaymentInput],
          workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
          workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
          staticSummary: 'Redelivery',
          typedSearchAttributes: [{ key: searchAttributes.uetr, value: uetr }],
        }),
      );
    },
    check: () => call(0, () => connection.workflowService.getSystemInfo({})),
    close: () => connection.close(),
  };
}
