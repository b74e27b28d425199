/**
 * Names that the api, the worker and the workflows share: workflow ids, task queues, updates, search attributes.
 * It holds names and types, so that importing it runs no code of theirs.
 */
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { Decision } from '../core/payments/decision.ts';
import type { ResolutionRequest, Submission } from './activities.ts';

export const taskQueues = {
  /** Workflows, local activities and sends to destinations. */
  payments: 'payments',
  /** Callbacks, confirmations and notifications: a slow receiver holds no slot of a payment. */
  deliveries: 'deliveries',
  /** Deliveries to queues of brokers, by workers that do nothing else: what a broker sends can harm no payment. */
  amqp: 'amqp',
  /** Sends to proxy directories and creditor agents: those that are silent hold no slot of a payment or a callback. */
  enquiries: 'enquiries',
} as const;

/** Another queue of the worker that a workflow's own queue belongs to; tests put a prefix before all. */
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
   * Of the stored submission. If no update brings it, the execution judges it itself, or continues from the record.
   */
  readonly messageId?: string;
}

/**
 * How a payment ended. `REFUSED`: only refused repeats came. `LAPSED`: nothing came, or nothing that could be
 * answered.
 */
export interface PaymentOutcome {
  readonly status: Decision['status'] | 'REFUSED' | 'LAPSED';
  readonly reasonCode: string | null;
}

/** What a start promises of the workflow: its type without its code. */
export type PaymentWorkflow = (input: PaymentInput) => Promise<PaymentOutcome>;

/** One execution per UETR: a repeat finds this one. */
export function paymentWorkflowId(uetr: string): string {
  return `pacs008/${uetr}`;
}

/** One execution at a time per payment or resolution whose deliveries are asked for again. */
export function redeliveryWorkflowId(subjectId: string): string {
  return `redelivery/${subjectId}`;
}

export interface ResolutionInput {
  /**
   * Of the stored request. If no update brings it, the execution judges it itself, or continues from the record.
   */
  readonly messageId?: string;
}

/**
 * How a resolution ended. `REFUSED`: only a refused repeat came. `LAPSED`: nothing came, or nothing that could be
 * answered.
 */
export type ResolutionOutcome =
  | { readonly verified: boolean; readonly reasonCode: string | null }
  | { readonly verified: null; readonly reasonCode: 'REFUSED' | 'LAPSED' };

export type ResolutionWorkflow = (input: ResolutionInput) => Promise<ResolutionOutcome>;

/**
 * One execution per submitter and MsgId: a repeat finds this one. Spaces and slashes of the MsgId are escaped, so that
 * no two MsgIds make the same id.
 */
export function resolutionWorkflowId(clearingSystemId: string, messageIdentification: string): string {
  return `acmt023/${clearingSystemId}/${encodeURIComponent(messageIdentification)}`;
}

/** Tells a redelivery that its payment's deliveries were asked for again. */
export const redeliverySignal = 'again';

export interface SubmitResult {
  /** Id of the stored pacs.002 that answers the submission. */
  readonly answerMessageId: string;
}

export interface ReportFinal {
  /** Id of the destination's stored pacs.002. */
  readonly reportMessageId: string;
}

/**
 * The update that brings a submission to its execution, whoever brings it: the second to come finds the first's, and is
 * no enquiry.
 * @param timesUnanswerable how often a defect of ours has kept it from being answered: those outcomes stand
 */
export function submitUpdateId(messageId: string, timesUnanswerable: number): string {
  return `${messageId}/${timesUnanswerable}`;
}

export const updates = { submit: 'submit', reportFinal: 'reportFinal', resolve: 'resolve' } as const;
export const signals = {
  /** The source asks for the status of a payment that is not decided. */
  enquire: 'enquire',
  /**
   * The record may know more than the execution: a decision, or that a deadline is past by the database clock.
   */
  look: 'look',
} as const;
export type SubmitArguments = [Submission];
export type ReportFinalArguments = [ReportFinal];
export type ResolveArguments = [ResolutionRequest];

/** What operators filter by in the Temporal UI. No personal data. */
export const searchAttributes = {
  uetr: defineSearchAttributeKey('Uetr', SearchAttributeType.KEYWORD),
  /** RCVD until validated, then ACTC, INDOUBT after 24 h, and the final status: ACCC, RJCT,
   * BLCK, when all are told or one try to tell them was not enough; REFUSED or LAPSED where a run ends without (`PaymentOutcome`). */
  status: defineSearchAttributeKey('PaymentStatus', SearchAttributeType.KEYWORD),
  /** Of a rejection or a refusal: `AC04 account closed`. */
  reason: defineSearchAttributeKey('Reason', SearchAttributeType.KEYWORD),
  corridor: defineSearchAttributeKey('Corridor', SearchAttributeType.KEYWORD),
  sourceSystem: defineSearchAttributeKey('SourceSystem', SearchAttributeType.KEYWORD),
  destinationSystem: defineSearchAttributeKey('DestinationSystem', SearchAttributeType.KEYWORD),
  priority: defineSearchAttributeKey('Priority', SearchAttributeType.KEYWORD),
  /** BIC of the FX provider. */
  fxp: defineSearchAttributeKey('Fxp', SearchAttributeType.KEYWORD),
} as const;
