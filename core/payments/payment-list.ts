/**
 * Lists payments, with filters and the state of each payment. The state combines the status with two facts:
 * whether all parties are told, and whether a person must act.
 */
import { finalStatuses } from './report.ts';

/** The status of a payment on record, as the api and the Temporal UI show it (payment-states.md). */
export const listedStatuses = ['ACTC', 'INDOUBT', ...finalStatuses] as const;
export type ListedStatus = (typeof listedStatuses)[number];

/**
 * - `waiting`: accepted, no final status yet
 * - `in-doubt`: accepted, no final status for more than 24 hours; a person must find out the outcome
 * - `telling`: final, and at least one party is not told yet
 * - `dead-letter`: final, but a party could not be told; a person must tell it
 * - `done`: final, and all parties are told
 */
export const paymentStates = ['waiting', 'in-doubt', 'telling', 'dead-letter', 'done'] as const;
export type PaymentState = (typeof paymentStates)[number];

export interface PaymentFilter {
  readonly statuses?: readonly ListedStatus[];
  readonly state?: PaymentState;
  readonly reasonCode?: string;
  readonly corridor?: string;
  readonly priority?: 'HIGH' | 'NORM';
  /** Matches the source or the destination. */
  readonly clearingSystem?: string;
  /** InternalId of an institution; matches debtor agent, creditor agent or FX provider. */
  readonly institutionId?: string;
  /** Matches the source or destination amount, whichever has this currency. Decimal text; bounds are inclusive. */
  readonly amount?: { readonly currency: string; readonly least?: string; readonly most?: string };
  /** Time of judgement; `from` is inclusive, `to` exclusive. */
  readonly from?: Date;
  readonly to?: Date;
  /** Minimum number of seconds since the judgement, by the database clock. */
  readonly olderThanSeconds?: number;
  readonly uetr?: string;
  readonly quoteId?: string;
  readonly endToEndId?: string;
  /** MsgId of any message of the payment. */
  readonly messageIdentification?: string;
}

/**
 * The reader of the list. A clearing system or institution sees the payments that it sent. It sees a payment
 * that was sent to it once a byte may have reached it, but without source amounts, quote and FX provider.
 */
export type ListScope =
  | { readonly of: 'all' }
  | { readonly of: 'clearing-system'; readonly id: string }
  | { readonly of: 'institution'; readonly id: string };

/** One payment in a list. It contains no personal data. */
export interface ListedPayment {
  readonly uetr: string;
  readonly status: ListedStatus;
  readonly state: PaymentState;
  readonly reasonCode: string | null;
  readonly ruleId: string | null;
  readonly decidedBy: string | null;
  /** Whether the destination has reported a final status that differs from the decision. */
  readonly isContradicted: boolean;
  readonly sourceSystem: string;
  readonly destinationSystem: string | null;
  readonly corridor: string | null;
  readonly priority: string | null;
  /**
   * Decimal text. Null for readers on the destination's side, and if the payment was rejected before the
   * amount was known.
   */
  readonly sourceAmount: string | null;
  readonly sourceCurrency: string | null;
  readonly destinationAmount: string | null;
  /** Destination amount minus creditor agent fee: the amount that the payee gets. */
  readonly creditorAccountAmount: string | null;
  readonly destinationCurrency: string | null;
  readonly debtorAgentId: string | null;
  readonly creditorAgentId: string | null;
  readonly fxpId: string | null;
  readonly quoteId: string | null;
  readonly endToEndId: string | null;
  readonly judgedAt: Date;
  readonly deadlineAt: Date | null;
  readonly decidedAt: Date | null;
  readonly openDeliveries: number;
  readonly deadLetters: number;
}
