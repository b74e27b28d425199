/**
 * How the executions of payments, resolutions and redeliveries are started: by the api when a message comes, by the
 * sweep when one was lost. A payment has one execution at a time. Duplicates are told apart by the database, so
 * an execution that was lost can be started again from the record.
 */
import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import {
  dailyBooksScheduleId,
  paymentWorkflowId,
  redeliverySignal,
  redeliveryWorkflowId,
  resolutionWorkflowId,
  searchAttributes,
  submitUpdateId,
  taskQueues,
  workflowTypes,
  type PaymentInput,
  type ResolutionInput,
  type SubmitArguments,
} from './ids.ts';
import type { Subject } from './subject.ts';

const policies = {
  workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
  workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
  workflowTaskTimeout: '5s', // a worker killed in the middle of a task is noticed well before a deadline
} as const;

/** What is needed to start a payment's execution from the record. */
export interface StoredPaymentKey {
  readonly uetr: string;
  readonly sourceSystem: string;
  /** The stored submission that made the payment, or may make it. */
  readonly messageId: string;
}

interface PaymentToStart extends StoredPaymentKey {
  /** For the Temporal UI. */
  readonly destinationCountry?: string | undefined;
}

/** @param taskQueuePrefix tests keep apart by it; else empty */
export function paymentStart(
  { uetr, sourceSystem, messageId, destinationCountry }: PaymentToStart,
  taskQueuePrefix: string,
) {
  const input: PaymentInput = { uetr, messageId };
  return {
    ...policies,
    workflowId: paymentWorkflowId(uetr),
    taskQueue: `${taskQueuePrefix}${taskQueues.payments}`,
    args: [input] as [PaymentInput],
    staticSummary: summaryOf('Payment', sourceSystem, destinationCountry),
    typedSearchAttributes: [
      { key: searchAttributes.uetr, value: uetr },
      { key: searchAttributes.status, value: 'RCVD' },
      { key: searchAttributes.sourceSystem, value: sourceSystem },
    ],
  };
}

/**
 * The update that brings a stored submission to its execution, with `paymentStart` of the same.
 * @param timesUnanswerable as in `submitUpdateId`
 */
export function submitUpdate(
  { messageId }: StoredPaymentKey,
  timesUnanswerable: number,
): { updateId: string; args: SubmitArguments } {
  return { updateId: submitUpdateId(messageId, timesUnanswerable), args: [{ messageId }] };
}

/** What the execution of a resolution is made from. */
export interface StoredRequestKey {
  /** The stored request. */
  readonly messageId: string;
  /** Its MsgId. */
  readonly messageIdentification: string;
  readonly sourceSystem: string;
}

interface ResolutionToStart extends StoredRequestKey {
  /** For the Temporal UI. */
  readonly destinationCountry?: string | undefined;
}

export function resolutionStart(
  { sourceSystem, messageIdentification, destinationCountry, messageId }: ResolutionToStart,
  taskQueuePrefix: string,
) {
  return {
    ...policies,
    workflowId: resolutionWorkflowId(sourceSystem, messageIdentification),
    taskQueue: `${taskQueuePrefix}${taskQueues.payments}`,
    args: [{ messageId }] as [ResolutionInput],
    staticSummary: summaryOf('Resolution', sourceSystem, destinationCountry),
    typedSearchAttributes: [
      { key: searchAttributes.uetr, value: messageId }, // the resolution's id, unless it repeats another
      { key: searchAttributes.sourceSystem, value: sourceSystem },
    ],
  };
}

/**
 * A redelivery is started and told by one call, `signalWithStart`.
 * @param subjectId UETR of the payment, or id of the resolution
 */
export function redeliveryStart(subjectId: string, taskQueuePrefix: string) {
  return {
    ...policies,
    workflowId: redeliveryWorkflowId(subjectId),
    taskQueue: `${taskQueuePrefix}${taskQueues.payments}`,
    args: [{ subjectId }] as [Subject],
    signal: redeliverySignal,
    staticSummary: 'Redelivery',
    typedSearchAttributes: [{ key: searchAttributes.uetr, value: subjectId }],
  };
}

/**
 * Sends the books of each day, two minutes after its end: it is closed by then. Operators may pause it or trigger
 * it in Temporal's UI: what was sent is on record, so that no trigger sends anything twice, and a missed one loses no day.
 */
export function dailyBooksSchedule(taskQueuePrefix: string) {
  return {
    scheduleId: `${taskQueuePrefix}${dailyBooksScheduleId}`,
    spec: { calendars: [{ hour: 0, minute: 2 }] }, // UTC
    policies: { overlap: 'BUFFER_ONE' as const, catchupWindow: '3 days' as const },
    action: {
      type: 'startWorkflow' as const,
      workflowType: workflowTypes.dailyBooks,
      workflowId: `${taskQueuePrefix}books`,
      taskQueue: `${taskQueuePrefix}${taskQueues.payments}`,
    },
  };
}

function summaryOf(what: string, from: string, to: string | undefined): string {
  return to === undefined ? `${what} from ${from}` : `${what} from ${from} to ${to}`;
}
