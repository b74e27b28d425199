/**
 * What the workflows ask of the worker: the activities' names, arguments and results, as plain JSON. Both import it,
 * and neither imports the other. It carries ids, codes and hashes only; messages and amounts stay in the database.
 */
import type { Decision, DecisionCause } from '../core/payments/decision.ts';
import type { Subject } from './subject.ts';

export type { DecisionCause };

/** A received pacs.008 that is stored. */
export interface Submission {
  /** Id of the stored message, not its MsgId. */
  readonly messageId: string;
}

/** Where an accepted payment goes. */
export interface Route {
  /** `SG-TH`. */
  readonly corridor: string;
  readonly sourceSystem: string;
  readonly destinationSystem: string;
  readonly priority: 'HIGH' | 'NORM';
  /** BIC of the quote's FX provider; null where the debtor agent does its own FX. */
  readonly fxp: string | null;
}

/**
 * The judgement of a submission; its verdict says what follows.
 * `accepted`: ACTC; the payment is to be forwarded. `decided`: final, by a RJCT of the gateway on this very submission,
 * or of the payment that it repeats; the decision goes to the callback too.
 * `refused`: a repeat with other content, answered RJCT in the HTTP answer only; the payment is not touched.
 */
export type Judgement =
  | {
      readonly verdict: 'accepted';
      /** Whether a repeat has asked for the status since, and nobody has asked the destination yet. */
      readonly enquiry: boolean;
      readonly answerMessageId: string;
      readonly instructionDeliveryId: string;
      readonly route: Route;
      /** Epoch milliseconds, as all of these by the database clock; null for NORM. */
      readonly deadlineAt: number | null;
      /** Epoch milliseconds: when the gateway accepted it, not `AccptncDtTm`. */
      readonly acceptedAt: number;
      /** Epoch milliseconds: when the submission was read to be judged. */
      readonly now: number;
      /**
       * Whether the destination has answered a send of it, without a final, and nobody asked since: only enquiries
       * follow.
       */
      readonly isTaken: boolean;
      /**
       * Epoch milliseconds: when its last send began, if there was one. Enquiries due before that have been made.
       */
      readonly lastSentAt?: number;
      /** Id of the destination's first final, if it is stored and not applied yet. */
      readonly finalReportId?: string;
    }
  | { readonly verdict: 'decided'; readonly answerMessageId: string; readonly decision: Decision }
  | {
      readonly verdict: 'refused';
      readonly answerMessageId: string;
      readonly reasonCode: string;
      readonly ruleId: string;
    };

/** What the destination said to one send of the instruction. */
export type DestinationAnswer =
  | { readonly kind: 'final'; readonly reportMessageId: string }
  /** 202, or an interim pacs.002: the final one comes later. */
  | { readonly kind: 'pending' }
  /**
   * A final after the decision: it is on record, and its confirmation is due. Or nothing may be sent any
   * longer.
   */
  | { readonly kind: 'late' }
  /** No send of this round had an answer that counts, and none follows. */
  | { readonly kind: 'unanswered' };

/** Not decided: by the database clock, which counts, the deadline has not come yet. */
export interface NotYet {
  /** Milliseconds. */
  readonly waitMs: number;
}

/** Not decided, for a defect of ours: a person has been told, and it is to be tried again. */
export interface AfterDefect {
  /** Milliseconds. */
  readonly retryInMs: number;
}

/**
 * What comes of deciding. Null: there is no decision, and no cause for one. `unreachable`: the 60 s are not over, a
 * byte may have left after all, or nothing has been tried yet. `record`: no final is stored.
 */
export type DecisionResult = Decision | NotYet | AfterDefect | null;

/** Short database work, run in the workflow task itself. Each may run more than once. */
export interface PaymentLocalActivities {
  /** Judges a stored submission, and stores the payment with its first answer. */
  validatePayment(submission: Submission): Promise<Judgement>;
  /** Writes the decision unless there is one, with every message that derives from it; answers the one that stands. */
  decidePayment(payment: { readonly uetr: string; readonly cause: DecisionCause }): Promise<DecisionResult>;
  /** Raises the alert that nobody knows how the payment ended. */
  reportInDoubt(payment: { readonly uetr: string }): Promise<void>;
}

export interface ForwardingActivities {
  /**
   * Sends the stored instruction, once per call; throws a failed send, so that the next one follows when it is due.
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
   * Brings what is due of a payment or resolution to its receivers; throws until each is delivered or given up.
   * Without a carrier: if something goes to a queue, it brings nothing, and says so; then each carrier has a call of its own.
   */
  deliver(due: Subject & { readonly by?: Carrier }): Promise<{ readonly needsAmqp: true } | undefined>;
}

/** A received acmt.023 that is stored. */
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

/** A stored acmt.023 that is to be sent to the party that can answer it. */
export interface ResolutionEnquiry {
  readonly deliveryId: string;
  readonly of: 'directory' | 'creditor-agent';
  readonly destinationSystem: string;
}

/**
 * The judgement of a request; its verdict says what follows. `routed`: a party is to be asked. `answered`: the gateway
 * rejects it, or it repeats a resolution that is answered; the answer goes to the callback too. `refused`: a repeat
 * with other content, answered in the HTTP answer only; the resolution is not touched.
 */
export type ResolutionJudgement =
  | {
      readonly verdict: 'routed';
      readonly resolutionId: string;
      /** Epoch milliseconds, database clock: for the record. */
      readonly deadlineAt: number;
      /** Milliseconds to the deadline, by the database clock. */
      readonly remainingMs: number;
      readonly enquiry: ResolutionEnquiry;
    }
  | { readonly verdict: 'answered'; readonly resolutionId: string; readonly answer: ResolutionAnswer }
  | { readonly verdict: 'refused'; readonly answerMessageId: string; readonly reasonCode: string };

/** What follows from a party's answer. */
export type ResolutionStep =
  | {
      readonly kind: 'enquire';
      readonly enquiry: ResolutionEnquiry;
      /** As in the judgement. */
      readonly remainingMs: number;
    }
  | { readonly kind: 'answered'; readonly answer: ResolutionAnswer };

/** Short database work of a resolution. Each may run more than once. */
export interface ResolutionLocalActivities {
  /** Judges a stored request, and stores the resolution with its first enquiry or its answer. */
  judgeResolution(request: ResolutionRequest): Promise<ResolutionJudgement>;
  /** Writes the answer unless there is one, or the enquiry that comes next; answers what stands. */
  followResolution(report: {
    readonly resolutionId: string;
    readonly of: ResolutionEnquiry['of'];
    /** Id of the party's stored acmt.024. */
    readonly reportMessageId: string;
  }): Promise<ResolutionStep>;
  /**
   * At the deadline, unless there is an answer: passes on what a party has said, or writes false AB08. Answers what
   * stands.
   */
  endResolution(resolution: { readonly resolutionId: string }): Promise<ResolutionAnswer>;
}

export interface EnquiryActivities {
  /** Sends a stored enquiry once and stores the party's answer; throws if none counts. */
  askResolution(enquiry: {
    readonly resolutionId: string;
    readonly deliveryId: string;
    /** Epoch milliseconds, database clock: for the record. How much time is left, the database says. */
    readonly deadlineAt: number;
  }): Promise<{ readonly reportMessageId: string }>;
}

/** What was made of the books of closed days. */
export interface BooksMade {
  /** Of all books, each day counted for each. */
  readonly days: number;
  readonly pages: number;
}

export interface BookActivities {
  sendBooks(): Promise<BooksMade>;
}
