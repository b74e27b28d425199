/**
 * Lists of payments: what they may be searched by, and the state of each, which says more than its status: whether its
 * parties have been told, and whether a person must look.
 */
import { finalStatuses } from './report.ts';

/** What the record says of a payment, as the api and the Temporal UI say it (payment-states.md). */
export const listedStatuses = ['ACTC', 'INDOUBT', ...finalStatuses] as const;
export type ListedStatus = (typeof listedStatuses)[number];

/**
 * - `waiting`: accepted, no final status yet
 * - `in-doubt`: the same, for more than 24 hours: a person must find out
 * - `telling`: it has its final status, and somebody is still to be told
 * - `dead-letter`: it has its final status, and somebody could not be told: a person must tell them
 * - `done`: it has its final status, and everybody knows
 */
export const paymentStates = ['waiting', 'in-doubt', 'telling', 'dead-letter', 'done'] as const;
export type PaymentState = (typeof paymentStates)[number];

export interface PaymentFilter {
  readonly statuses?: readonly ListedStatus[];
  readonly state?: PaymentState;
  readonly reasonCode?: string;
  readonly corridor?: string;
  readonly priority?: 'HIGH' | 'NORM';
  /** Its source or its destination. */
  readonly clearingSystem?: string;
  /** Its debtor agent, its creditor agent or its FX provider: our id of the institution. */
  readonly institutionId?: string;
  /** Of the source or the destination amount, whichever has this currency. Decimal text. */
  readonly amount?: { readonly currency: string; readonly least?: string; readonly most?: string };
  /** When it was judged: from then on, and before then. */
  readonly from?: Date;
  readonly to?: Date;
  /** Seconds since it was judged, at least, by the database clock. */
  readonly olderThanSeconds?: number;
  readonly uetr?: string;
  readonly quoteId?: string;
  readonly endToEndId?: string;
  /** MsgId of any of its messages. */
  readonly messageIdentification?: string;
}

/**
 * Whose payments are listed. A side sees those that it sent, and those that came to it: these once a byte of them may
 * have reached it, and without what they cost the other side, its quote and its FX provider.
 */
export type ListScope =
  | { readonly of: 'all' }
  | { readonly of: 'clearing-system'; readonly id: string }
  | { readonly of: 'institution'; readonly id: string };

/** One payment of a list. Ids, codes, times and amounts; no personal data. */
export interface ListedPayment {
  readonly uetr: string;
  readonly status: ListedStatus;
  readonly state: PaymentState;
  readonly reasonCode: string | null;
  readonly ruleId: string | null;
  readonly decidedBy: string | null;
  /** Its destination has reported another final than the one decided. */
  readonly isContradicted: boolean;
  readonly sourceSystem: string;
  readonly destinationSystem: string | null;
  readonly corridor: string | null;
  readonly priority: string | null;
  /** Decimal text; null to its destination, and where it was rejected before it was known. */
  readonly sourceAmount: string | null;
  readonly sourceCurrency: string | null;
  readonly destinationAmount: string | null;
  /** Destination amount less the creditor agent fee: what the recipient is credited. */
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
