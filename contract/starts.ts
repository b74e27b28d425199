/**
 * Options for starting the executions of payments, resolutions and redeliveries. The api starts an execution
 * when a message comes; the sweep restarts a lost one. A payment has one execution at a time. The database
 * recognises duplicates, so an execution may be started again from the record.
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
import type { Subject } from './activities.ts';

const policies = {
  workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
  workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
  workflowTaskTimeout: '5s', // short, so that Temporal notices a killed worker well before a deadline
} as const;

/** The values needed to start a payment's execution from the record. */
export interface StoredPaymentKey {
  readonly uetr: string;
  readonly sourceSystem: string;
  /** Id of the stored submission that made the payment, or that will make it if it is accepted. */
  readonly messageId: string;
}

interface PaymentToStart extends StoredPaymentKey {
  /** For display in the Temporal UI. */
  readonly destinationCountry?: string | undefined;
  /** As the message states it, which may be invalid. For operators who filter executions. */
  readonly priority?: 'HIGH' | 'NORM';
  /** As in `PaymentInput`. */
  readonly isNew?: true;
}

/** @param taskQueuePrefix separates the task queues of tests; empty in production */
export function paymentStart(
  { uetr, sourceSystem, messageId, destinationCountry, priority, isNew }: PaymentToStart,
  taskQueuePrefix: string,
) {
  const input: PaymentInput = { uetr, messageId, ...(isNew && { isNew }) };
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
      ...(priority === undefined ? [] : [{ key: searchAttributes.priority, value: priority }]),
    ],
  };
}

/**
 * The update that is sent together with `paymentStart` for the same submission.
 * @param timesUnanswerable as in `submitUpdateId`
 */
export function submitUpdate(
  { messageId }: StoredPaymentKey,
  timesUnanswerable: number,
): { updateId: string; args: SubmitArguments } {
  return { updateId: submitUpdateId(messageId, timesUnanswerable), args: [{ messageId }] };
}

/** The values needed to start a resolution's execution. */
export interface StoredRequestKey {
  /** Id of the stored request. */
  readonly messageId: string;
  /** MsgId of the stored request. */
  readonly messageIdentification: string;
  readonly sourceSystem: string;
}

interface ResolutionToStart extends StoredRequestKey {
  /** For display in the Temporal UI. */
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
      { key: searchAttributes.uetr, value: messageId }, // also the resolution's id, unless it is a repeat
      { key: searchAttributes.sourceSystem, value: sourceSystem },
    ],
  };
}

/**
 * Options for `signalWithStart`, which starts the redelivery and signals it in one call.
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
 * The schedule that sends the books of each day, two minutes after midnight UTC, when the day is closed.
 * Operators may pause or trigger it in Temporal's UI. The record shows which books were sent. So an extra run
 * sends nothing twice, and a missed run loses no day.
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
