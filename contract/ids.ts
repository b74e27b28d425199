/**
 * Names that the api, the worker and the workflows share: workflow ids, task queues, updates, search attributes.
 * It holds only names and types, so that importing it runs no code of those processes.
 */
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { Decision } from '../core/payments/decision.ts';
import type { ResolutionRequest, Submission } from './activities.ts';

export const taskQueues = {
  /**
   * Workflows, local activities, sends to destinations and the first attempt of each delivery of a payment use
   * this queue. Temporal dispatches an activity faster if it is on the queue of its workflow.
   */
  payments: 'payments',
  /**
   * Repeated callbacks, confirmations and notifications have their own queue, so that a receiver that is down
   * holds no slot for payments.
   */
  deliveries: 'deliveries',
  /**
   * Deliveries to message queues. Outside demos, their worker runs no payments, so that a broker cannot harm
   * a payment.
   */
  amqp: 'amqp',
  /**
   * Sends to proxy directories and creditor agents have their own queue, so that a silent one holds no slot
   * for payments or callbacks.
   */
  enquiries: 'enquiries',
} as const;

/** Names another task queue of the same worker. Tests put a prefix before all task queues. */
export function queueBeside(
  workflowQueue: string,
  queue: Exclude<keyof typeof taskQueues, 'payments'>,
): string {
  return workflowQueue.slice(0, -taskQueues.payments.length) + taskQueues[queue];
}

export const workflowTypes = {
  payment: 'payment',
  redelivery: 'redelivery',
  resolution: 'resolution',
  dailyBooks: 'dailyBooks',
} as const;

/** The Temporal schedule that sends the books of each day. */
export const dailyBooksScheduleId = 'daily-books';

export interface PaymentInput {
  readonly uetr: string;
  /**
   * Id of the stored submission. If no update brings the submission, the execution judges it, or continues
   * from the record.
   */
  readonly messageId?: string;
  /**
   * True if the api starts the execution for a new submission. Such an execution sets the search attributes of
   * an accepted payment after the first send: if the answer is final, one event sets all of them.
   */
  readonly isNew?: true;
}

/**
 * How a payment ended. `REFUSED`: the gateway refused every submission as a repeat. `LAPSED`: no submission
 * came, or none could be answered.
 */
export interface PaymentOutcome {
  readonly status: Decision['status'] | 'REFUSED' | 'LAPSED';
  readonly reasonCode: string | null;
}

/** The type of the payment workflow, so that callers can start it without importing its code. */
export type PaymentWorkflow = (input: PaymentInput) => Promise<PaymentOutcome>;

/** There is one execution per UETR, so that a repeated submission finds it. */
export function paymentWorkflowId(uetr: string): string {
  return `pacs008/${uetr}`;
}

/** There is at most one redelivery at a time per payment or resolution. */
export function redeliveryWorkflowId(subjectId: string): string {
  return `redelivery/${subjectId}`;
}

export interface ResolutionInput {
  /**
   * Id of the stored request. If no update brings the request, the execution judges it, or continues from the
   * record.
   */
  readonly messageId?: string;
}

/**
 * How a resolution ended. `REFUSED`: the gateway refused the request as a repeat. `LAPSED`: no request came,
 * or none could be answered.
 */
export type ResolutionOutcome =
  | { readonly verified: boolean; readonly reasonCode: string | null }
  | { readonly verified: null; readonly reasonCode: 'REFUSED' | 'LAPSED' };

export type ResolutionWorkflow = (input: ResolutionInput) => Promise<ResolutionOutcome>;

/**
 * There is one execution per submitter and MsgId, so that a repeated request finds it. Spaces and slashes of
 * the MsgId are escaped, so that no two MsgIds make the same id.
 */
export function resolutionWorkflowId(clearingSystemId: string, messageIdentification: string): string {
  return `acmt023/${clearingSystemId}/${encodeURIComponent(messageIdentification)}`;
}

/** Tells a running redelivery that the deliveries were asked for again. */
export const redeliverySignal = 'again';

export interface SubmitResult {
  /** Id of the stored pacs.002 that answers the submission. */
  readonly answerMessageId: string;
}

export interface ReportFinal {
  /** Id of the stored pacs.002 that the destination sent. */
  readonly reportMessageId: string;
}

/**
 * Id of the update that brings a submission to its execution. All senders use the same id, so that a second
 * sender gets the first one's result instead of making an enquiry.
 * @param timesUnanswerable how often a defect prevented an answer. Temporal keeps the outcome of each update,
 * so each new try needs a new id.
 */
export function submitUpdateId(messageId: string, timesUnanswerable: number): string {
  return `${messageId}/${timesUnanswerable}`;
}

export const updates = { submit: 'submit', reportFinal: 'reportFinal', resolve: 'resolve' } as const;
export const signals = {
  /** The source asks for the status of a payment that is not decided. */
  enquire: 'enquire',
  /**
   * Asks the execution to read the record: it may hold a decision, or the deadline may have passed by the
   * database clock.
   */
  look: 'look',
} as const;
export type SubmitArguments = [Submission];
export type ReportFinalArguments = [ReportFinal];
export type ResolveArguments = [ResolutionRequest];

/** Operators filter executions by these attributes in the Temporal UI. They contain no personal data. */
export const searchAttributes = {
  uetr: defineSearchAttributeKey('Uetr', SearchAttributeType.KEYWORD),
  /**
   * RCVD until the first send of an accepted payment has ended without a final status (NORM: at most 60 s; HIGH: at
   * most until the deadline); then ACTC; INDOUBT after 24 h. The workflow sets the final status (ACCC, RJCT, BLCK)
   * when all parties are told, or after one failed try to tell them. REFUSED or LAPSED: see `PaymentOutcome`.
   */
  status: defineSearchAttributeKey('PaymentStatus', SearchAttributeType.KEYWORD),
  /** Code and text of a rejection or a refusal: `AC04 account closed`. */
  reason: defineSearchAttributeKey('Reason', SearchAttributeType.KEYWORD),
  corridor: defineSearchAttributeKey('Corridor', SearchAttributeType.KEYWORD),
  sourceSystem: defineSearchAttributeKey('SourceSystem', SearchAttributeType.KEYWORD),
  destinationSystem: defineSearchAttributeKey('DestinationSystem', SearchAttributeType.KEYWORD),
  priority: defineSearchAttributeKey('Priority', SearchAttributeType.KEYWORD),
  /** BIC of the FX provider. */
  fxp: defineSearchAttributeKey('Fxp', SearchAttributeType.KEYWORD),
} as const;
