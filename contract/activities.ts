/**
 * The activities that the workflows call: names, arguments and results, as plain JSON. Workflows and worker both import
 * this file; neither imports the other. Only ids, codes and hashes pass here; messages and amounts stay in the
 * database.
 */
import type { Decision, DecisionCause } from '../core/payments/decision.ts';

export type { DecisionCause };

/** A stored pacs.008. */
export interface Submission {
  /** Id of the stored message, not its MsgId. */
  readonly messageId: string;
}

/** The two ends of an accepted payment, and how it travels between them. */
export interface Route {
  /** The two countries, e.g. `SG-TH`. */
  readonly corridor: string;
  readonly sourceSystem: string;
  readonly destinationSystem: string;
  readonly priority: 'HIGH' | 'NORM';
  /** BIC of the quote's FX provider; null if the debtor agent does its own FX. */
  readonly fxp: string | null;
}

/**
 * The judgement of a submission, by verdict.
 * `accepted`: the gateway answered ACTC, and the workflow forwards the payment.
 * `decided`: the gateway rejected this submission, or the payment that it repeats is decided. The callback
 * carries the decision too.
 * `refused`: the submission is a repeat with other content. Only the HTTP answer reports this (RJCT); the
 * payment stays as it is.
 */
export type Judgement =
  | {
      readonly verdict: 'accepted';
      /**
       * Whether a repeated submission has asked for the status, and no enquiry has gone to the destination
       * since.
       */
      readonly enquiry: boolean;
      readonly answerMessageId: string;
      readonly instructionDeliveryId: string;
      readonly route: Route;
      /** Epoch milliseconds by the database clock, like all times here; null for NORM. */
      readonly deadlineAt: number | null;
      /** Epoch milliseconds at which the gateway accepted the payment; not `AccptncDtTm`. */
      readonly acceptedAt: number;
      /** Epoch milliseconds at which the submission was loaded to be judged. */
      readonly now: number;
      /**
       * Whether the destination has answered a send without a final status, and no repeated submission has
       * asked for the status since. The workflow then sends only enquiries.
       */
      readonly isTaken: boolean;
      /**
       * Epoch milliseconds at which the last send began, if there was one. Every enquiry due before that time
       * was made.
       */
      readonly lastSentAt?: number;
      /** Id of the destination's first final status report, if it is stored but not applied yet. */
      readonly finalReportId?: string;
    }
  | { readonly verdict: 'decided'; readonly answerMessageId: string; readonly decision: Decision }
  | {
      readonly verdict: 'refused';
      readonly answerMessageId: string;
      readonly reasonCode: string;
      readonly ruleId: string;
    };

/** How the destination answered one send of the instruction. */
export type DestinationAnswer =
  | { readonly kind: 'final'; readonly reportMessageId: string }
  /**
   * The decision is stored: by this activity, or before it. `isTold`: this activity has told all parties; each
   * delivery is acknowledged or given up.
   */
  | { readonly kind: 'decided'; readonly decision: Decision; readonly isTold: boolean }
  /** HTTP 202 or an interim pacs.002: the final status comes later. */
  | { readonly kind: 'pending' }
  /**
   * Either a final status came after the decision and its confirmation is due, or the instruction may not be
   * sent any more, and no decision is stored.
   */
  | { readonly kind: 'late' }
  /** No send of this round got a valid answer, and the round has no more sends. */
  | { readonly kind: 'unanswered' };

/** The payment is not decided: by the database clock, which is authoritative, the deadline has not passed. */
export interface NotYet {
  /** Milliseconds. */
  readonly waitMs: number;
}

/**
 * The payment is not decided, because of a defect in the code. An alert was raised, and the workflow tries
 * again.
 */
export interface AfterDefect {
  /** Milliseconds. */
  readonly retryInMs: number;
}

/**
 * The result of an attempt to decide. Null means that no decision is stored and the cause does not hold.
 * `unreachable` does not hold before 60 s have passed, if a byte may have reached the destination, or before
 * the first send.
 * `record` does not hold if no final status is stored.
 */
export type DecisionResult = Decision | NotYet | AfterDefect | null;

/** Short database work, run as local activities. Each must be idempotent: it may run more than once. */
export interface PaymentLocalActivities {
  /** Judges a stored submission, and stores the payment with its first answer. */
  validatePayment(submission: Submission): Promise<Judgement>;
  /**
   * Writes the decision with every message that derives from it, unless one is stored already.
   * @returns the stored decision
   */
  decidePayment(payment: { readonly uetr: string; readonly cause: DecisionCause }): Promise<DecisionResult>;
  /** Raises the alert that the outcome of the payment is unknown. */
  reportInDoubt(payment: { readonly uetr: string }): Promise<void>;
}

export interface ForwardingActivities {
  /**
   * Sends the stored instruction once per call. Throws if the send fails, so that Temporal retries the
   * activity when the next send is due. If the answer is a final status, it writes the decision and makes the
   * first attempt to tell the parties. It returns `final` if it could not decide; the workflow then decides.
   */
  forwardPayment(instruction: {
    readonly uetr: string;
    readonly deliveryId: string;
    readonly destinationSystem: string;
  }): Promise<DestinationAnswer>;
}

/** How a delivery reaches its receiver. */
export type Carrier = 'http' | 'amqp';

export interface DeliveryActivities {
  /**
   * Sends the due deliveries of a payment or resolution. Throws until each of them is delivered or given up.
   * If `by` is absent and a delivery goes to a queue, it sends nothing and returns `needsAmqp`. The workflow
   * then makes one call per carrier.
   */
  deliver(due: Subject & { readonly by?: Carrier }): Promise<{ readonly needsAmqp: true } | undefined>;
}

/** A stored acmt.023. */
export interface ResolutionRequest {
  /** Id of the stored message, not its MsgId. */
  readonly messageId: string;
}

/** The one answer of a resolution. */
export interface ResolutionAnswer {
  readonly verified: boolean;
  readonly reasonCode: string | null;
  readonly answerMessageId: string;
}

/** A stored acmt.023 for the party that can answer the resolution. */
export interface ResolutionEnquiry {
  readonly deliveryId: string;
  readonly of: 'directory' | 'creditor-agent';
  readonly destinationSystem: string;
}

/**
 * The judgement of a request, by verdict.
 * `routed`: a party must be asked.
 * `answered`: the gateway rejects the request, or the request repeats an answered resolution. The callback
 * carries the answer too.
 * `refused`: the request is a repeat with other content. Only the HTTP answer reports this; the resolution
 * stays as it is.
 */
export type ResolutionJudgement =
  | {
      readonly verdict: 'routed';
      readonly resolutionId: string;
      /** Epoch milliseconds by the database clock; for the record only. */
      readonly deadlineAt: number;
      /** Milliseconds to the deadline, by the database clock. */
      readonly remainingMs: number;
      readonly enquiry: ResolutionEnquiry;
    }
  | { readonly verdict: 'answered'; readonly resolutionId: string; readonly answer: ResolutionAnswer }
  | { readonly verdict: 'refused'; readonly answerMessageId: string; readonly reasonCode: string };

/** The step that follows a party's answer. */
export type ResolutionStep =
  | {
      readonly kind: 'enquire';
      readonly enquiry: ResolutionEnquiry;
      /** Milliseconds to the deadline, by the database clock. */
      readonly remainingMs: number;
    }
  | { readonly kind: 'answered'; readonly answer: ResolutionAnswer };

/** Short database work of a resolution. Each must be idempotent: it may run more than once. */
export interface ResolutionLocalActivities {
  /** Judges a stored request, and stores the resolution with its first enquiry or its answer. */
  judgeResolution(request: ResolutionRequest): Promise<ResolutionJudgement>;
  /** Writes the answer or the next enquiry, unless one is stored already; returns the stored one. */
  followResolution(report: {
    readonly resolutionId: string;
    readonly of: ResolutionEnquiry['of'];
    /** Id of the party's stored acmt.024. */
    readonly reportMessageId: string;
  }): Promise<ResolutionStep>;
  /**
   * Runs at the deadline. If no answer is stored, it passes on a party's stored report, or else writes the
   * answer `false` with AB08.
   * @returns the stored answer
   */
  endResolution(resolution: { readonly resolutionId: string }): Promise<ResolutionAnswer>;
}

export interface EnquiryActivities {
  /** Sends a stored enquiry once and stores the party's answer. Throws if the party gives no valid answer. */
  askResolution(enquiry: {
    readonly resolutionId: string;
    readonly deliveryId: string;
    /** Epoch milliseconds by the database clock; for the record only. The database computes the time that is left. */
    readonly deadlineAt: number;
  }): Promise<{ readonly reportMessageId: string }>;
}

/** The numbers of days and pages that `sendBooks` made. */
export interface BooksMade {
  /** Summed over all books: two books of the same day count as two. */
  readonly days: number;
  readonly pages: number;
}

export interface BookActivities {
  sendBooks(): Promise<BooksMade>;
}

export interface Subject {
  /** UETR of a payment, or id of a resolution. */
  readonly subjectId: string;
}
