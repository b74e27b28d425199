/**
 * The flow of payments and quotes in a period, by corridor, for the portal and reports. It contains no
 * personal data.
 */

export interface CorridorFlow {
  /** For example `SG-TH`; null if the payments were rejected before the destination was known. */
  readonly corridor: string | null;
  /** Payments that were judged in the period. */
  readonly payments: number;
  readonly undecided: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly blocked: number;
  /** Payments that became ACCC within a minute, and within an hour, of the judgement. */
  readonly acceptedWithinMinute: number;
  readonly acceptedWithinHour: number;
  /** Milliseconds from the judgement to the final status, of accepted payments; null if there were none. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

export interface ReasonFlow {
  readonly corridor: string | null;
  readonly status: string;
  readonly reasonCode: string;
  readonly payments: number;
}

export interface QuoteFlow {
  /** InternalId of the FX provider. */
  readonly fxpId: string;
  readonly corridor: string;
  readonly issued: number;
  /** Quotes that were the best of their request. */
  readonly best: number;
  /** Quotes that a maximum made smaller than the request. */
  readonly capped: number;
  /** Payments that used the FX provider's quotes and were accepted in the period. */
  readonly used: number;
}

/** The part of the flow to return: everything, or the flow of a payment system, a PSP or an FX provider. */
export type FlowScope =
  | { readonly of: 'all' }
  | { readonly of: 'clearing-system'; readonly id: string }
  | { readonly of: 'psp'; readonly id: string }
  | { readonly of: 'fxp'; readonly id: string };
