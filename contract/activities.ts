/**
 * What the workflows ask of the worker: the activities' names, arguments and results, as plain JSON. It stands below both,
 * so that neither imports the other. It carries ids, codes and hashes only; messages and amounts stay in the database (SEC-3).
 */
import type { FinalStatus } from '../core/report.ts';
import type { Subject } from './subject.ts';

/** A received pacs.008 that is stored, and how long its sender is ready to wait for the final status (PAY-1). */
export interface Submission {
  /** Id of the stored message, not its MsgId. */
  readonly messageId: string;
  /** 0: answer as soon as it is judged. Only executions that 0.1.0 started were asked for more, up to 30 seconds. */
  readonly waitSeconds: number;
}

/** Where an accepted payment goes. */
export interface Route {
  /** `SG-TH`. */
  readonly corridor: string;
  readonly sourceSystem: string;
  readonly destinationSystem: string;
  readonly priority: 'HIGH' | 'NORM';
  /** BIC of the quote's FX provider; null where the debtor agent does its own FX (PAY-5). */
  readonly fxp: string | null;
}

/**
 * The judgement on a submission.
 * `accepted`: ACTC; the payment is to be forwarded. `decided`: final, by a RJCT of the gateway on this very submission,
 * or because it repeats a payment that is decided; the decision goes to the callback too.
 * `refused`: RJCT of a repeat, told in the HTTP answer only; the payment itself is not touched (DUP-2).
 */
export type Judgement =
  | {
      readonly verdict: 'accepted';
      /** Whether the very same message had been accepted before: a status enquiry (DUP-1). */
      readonly enquiry: boolean;
      readonly answerMessageId: string;
      readonly instructionDeliveryId: string;
      readonly route: Route;
      /** Epoch milliseconds, as all of these by the database clock; null for NORM (TIM-1). */
      readonly deadlineAt: number | null;
      /** Epoch milliseconds: when it was accepted. */
      readonly acceptedAt: number;
      /** Epoch milliseconds: when this was told. Absent in what 0.1.0 recorded. */
      readonly now?: number;
      /** Whether the destination has answered a send of it, without a final: no send is due but the enquiries. */
      readonly isTaken?: boolean;
      /** Epoch milliseconds: when the last send of it began, if one did: the enquiries due until then are made (TIM-2). */
      readonly lastSentAt?: number;
      /** Id of the first final of the destination that is stored and not applied yet, if there is one (PAY-7). */
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
  /** 202, or an interim pacs.002: the final one comes later (PAY-8). */
  | { readonly kind: 'pending' }
  /** A final after the decision: it is on record, and its confirmation is due (PAY-7, PAY-9). Or nothing may be sent any more. */
  | { readonly kind: 'late' }
  /** The send and its three repeats (TIM-3) had no answer that counts. */
  | { readonly kind: 'unanswered' };

/**
 * Who decides: the destination by its pacs.002, or the gateway for one of two reasons. A final of the destination that is
 * stored decides, whatever the cause (PAY-7).
 */
export type DecisionCause =
  | {
      readonly by: 'destination';
      readonly reportMessageId: string;
      /** Whether the confirmation is to be sent: nobody waits for it in an HTTP answer (PAY-9). */
      readonly answeredInPlace: boolean;
    }
  /** HIGH deadline (TIM-1): RJCT AB03. */
  | { readonly by: 'deadline' }
  /** NORM, and no byte ever left for the destination (TIM-3): RJCT ED06. */
  | { readonly by: 'unreachable' };

/** Not decided: the deadline is not there yet, by the database clock, which is the one that counts (TIM-1). */
export interface NotYet {
  /** Milliseconds. */
  readonly waitMs: number;
}

/** The one decision of a payment (PAY-10). */
export interface Decision {
  readonly status: FinalStatus;
  readonly reasonCode: string | null;
  readonly callbackMessageId: string;
  readonly confirmationMessageId: string | null;
}

/** Short database work, run in the workflow task itself; every one of them may be repeated. */
export interface PaymentLocalActivities {
  /** Judges a stored submission, and stores the payment with its first answer (PAY-2, PAY-3). */
  validatePayment(submission: Submission): Promise<Judgement>;
  /**
   * Writes the decision unless there is one, with every message that derives from it; answers the one that stands.
   * Null: `unreachable` was claimed, but a byte may have left after all, or nothing was tried yet.
   */
  decidePayment(payment: {
    readonly uetr: string;
    readonly cause: DecisionCause;
  }): Promise<Decision | NotYet | null>;
  /** Raises the alert that nobody knows how the payment ended (TIM-2). */
  reportInDoubt(payment: { readonly uetr: string }): Promise<void>;
}

export interface ForwardingActivities {
  /** Sends the stored instruction, once per call; a failed send is thrown, to be repeated when it is due (TIM-3). */
  forwardPayment(instruction: {
    readonly uetr: string;
    readonly deliveryId: string;
    /** Absent in what 0.1.0 recorded. */
    readonly destinationSystem?: string;
  }): Promise<DestinationAnswer>;
}

export interface DeliveryActivities {
  /** Brings what is due of a payment or resolution to its receivers; throws until each is delivered or given up (CBK-1). */
  deliver(due: Subject): Promise<void>;
}

/** A received acmt.023 that is stored. */
export interface ResolutionRequest {
  /** Id of the stored message, not its MsgId. */
  readonly messageId: string;
}

/** The one answer of a resolution (RES-1). */
export interface ResolutionAnswer {
  readonly verified: boolean;
  readonly reasonCode: string | null;
  readonly answerMessageId: string;
}

/** A stored acmt.023 that is to be sent to whoever can answer it (RES-2). */
export interface ResolutionEnquiry {
  readonly deliveryId: string;
  readonly of: 'directory' | 'creditor-agent';
  readonly destinationSystem: string;
}

/**
 * The judgement on a request. `routed`: it is to be asked; `answered`: the gateway refuses it, or it repeats a resolution
 * that is answered; the answer goes to the callback too. `refused`: a repeat with other content, told in the HTTP answer
 * only; the resolution itself is not touched (DUP-2).
 */
export type ResolutionJudgement =
  | {
      readonly verdict: 'routed';
      readonly resolutionId: string;
      /** Epoch milliseconds, database clock: for the record. */
      readonly deadlineAt: number;
      /** Milliseconds to the deadline, by the database clock (RES-1); absent in histories of 0.1.0. */
      readonly remainingMs?: number;
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
      readonly remainingMs?: number;
    }
  | { readonly kind: 'answered'; readonly answer: ResolutionAnswer };

/** Short database work of a resolution; every one of them may be repeated. */
export interface ResolutionLocalActivities {
  /** Judges a stored request, and stores the resolution with its first enquiry or its answer (RES-2). */
  judgeResolution(request: ResolutionRequest): Promise<ResolutionJudgement>;
  /** Writes the answer unless there is one, or the enquiry that comes next; answers what stands. */
  followResolution(report: {
    readonly resolutionId: string;
    readonly of: ResolutionEnquiry['of'];
    /** Id of the party's stored acmt.024. */
    readonly reportMessageId: string;
  }): Promise<ResolutionStep>;
  /**
   * At the deadline: passes on what a party has said, or writes false AB08, unless there is an answer; answers the one that
   * stands (RES-1).
   */
  endResolution(resolution: { readonly resolutionId: string }): Promise<ResolutionAnswer>;
}

export interface EnquiryActivities {
  /** Sends a stored enquiry once and stores the party's answer; throws when there is none that counts. */
  askResolution(enquiry: {
    readonly resolutionId: string;
    readonly deliveryId: string;
    /** Epoch milliseconds, database clock: for the record. The database is asked how long there is. */
    readonly deadlineAt: number;
  }): Promise<{ readonly reportMessageId: string }>;
}
