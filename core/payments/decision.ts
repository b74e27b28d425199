/**
 * Chooses a payment's decision, and who is told of a later final (PAY-7, PAY-9). The table of payment-states.ts says
 * who is told of the decision. Pure: all facts are arguments. The statement that writes the decision checks its
 * condition again (`db/payments/decisions.ts`).
 */
import { assert } from '../assert.ts';
import { reject, type Rejection } from '../rejections/rejection.ts';
import { isFinal, type FinalStatus } from './report.ts';

/** The decision of a payment; there is at most one. */
export interface Decision {
  readonly status: FinalStatus;
  readonly reasonCode: string | null;
  readonly callbackMessageId: string;
  readonly confirmationMessageId: string | null;
}

/**
 * Why a payment is decided now: a pacs.002 of the destination, one of two grounds of the gateway, or the record. If a
 * final of the destination is stored, that final decides, whatever the cause.
 */
export type DecisionCause =
  | {
      readonly by: 'destination';
      readonly reportMessageId: string;
      /**
       * Whether to send a confirmation. False if the report came to our address: its sender waits there for the HTTP
       * answer, which is the confirmation. True if the report came in an HTTP answer, or is read from the record later.
       */
      readonly wantsConfirmation: boolean;
    }
  /** HIGH deadline: RJCT AB03. */
  | { readonly by: 'deadline' }
  /** NORM, and 60 s after acceptance it is certain that nothing was sent to the destination: RJCT ED06. */
  | { readonly by: 'unreachable' }
  /**
   * The record decides: an existing decision, a stored final, or an outcome that two operators recorded and confirmed.
   * The gateway never rejects by this cause, and there is no report to compare and confirm.
   */
  | { readonly by: 'record' };

/** A pacs.002 of the destination. */
export interface StoredReport {
  readonly messageId: string;
  readonly status: string;
  readonly reasonCode: string | null;
}

/** The outcome of a payment in doubt that one operator recorded and another confirmed. */
export interface ConfirmedOutcome {
  readonly outcomeId: string;
  readonly status: FinalStatus;
  readonly reasonCode: string | null;
}

/** The parties that can make a decision. */
export const deciders = ['destination', 'gateway', 'operator'] as const;
export type Decider = (typeof deciders)[number];

/** The facts that determine the decision of an undecided payment. */
export interface DecisionFacts {
  /** The destination's report that caused this decision, if a report did. */
  readonly report: StoredReport | null;
  /** The first final that the destination sent while the payment was undecided. It decides, whatever the cause. */
  readonly firstFinal: StoredReport | null;
  /** The outcome that operators confirmed. It decides unless a final of the destination does. */
  readonly outcome: ConfirmedOutcome | null;
  /** Deadline of a HIGH payment, epoch milliseconds; null for NORM. */
  readonly deadlineAt: number | null;
  /** Database clock, epoch milliseconds. */
  readonly now: number;
}

/** Milliseconds by the database clock until the cause may decide; 0: it may now. */
export function untilDecidableMs(
  { firstFinal, deadlineAt, now }: DecisionFacts,
  cause: DecisionCause,
): number {
  if (cause.by !== 'deadline' || firstFinal !== null) return 0;
  assert(deadlineAt !== null, 'only a HIGH payment has a deadline');
  return Math.max(0, deadlineAt - now);
}

/**
 * The condition that must still hold when the decision is written.
 * `unreachable`: 60 s have passed, and there was at least one attempt, each NOT_SENT.
 * `past-deadline`: the deadline has passed.
 */
export type DecisionCondition = 'unreachable' | 'past-deadline';

/** A decision that is ready to be written. */
export interface DueDecision {
  readonly status: FinalStatus;
  readonly reasonCode: string | null;
  readonly decidedBy: Decider;
  /** The destination's final that decides; null if something else decides. */
  readonly report: StoredReport | null;
  /** The confirmed outcome that decides; null if something else decides. */
  readonly outcomeId: string | null;
  /** Present if the gateway itself rejects. */
  readonly rejection: Rejection | undefined;
  readonly onlyIf: DecisionCondition | null;
  /** Whether to send the confirmation, if one is due. False if the HTTP answer to the destination carries it. */
  readonly sendsConfirmation: boolean;
}

/**
 * Chooses the decision: by the first stored final, whatever the cause; else by the operators' confirmed outcome; else
 * by the cause.
 */
export function decisionBy(
  cause: DecisionCause,
  { firstFinal, report, outcome }: DecisionFacts,
): DueDecision {
  const sendsConfirmation = cause.by !== 'destination' || cause.wantsConfirmation; // seam: confirmation
  const final = firstFinal ?? (cause.by === 'destination' ? report : null); // seam: first-final
  if (final !== null) {
    const { status, reasonCode } = final;
    assert(isFinal(status), 'only a final status decides');
    return { ...settled({ status, reasonCode }, 'destination'), report: final, sendsConfirmation };
  }
  if (outcome !== null) {
    return { ...settled(outcome, 'operator'), outcomeId: outcome.outcomeId, sendsConfirmation };
  }
  return { ...rejectedBy(cause), sendsConfirmation };
}

function settled(
  { status, reasonCode }: Pick<ConfirmedOutcome, 'status' | 'reasonCode'>,
  decidedBy: Decider,
): Omit<DueDecision, 'sendsConfirmation'> {
  const own = { report: null, outcomeId: null, rejection: undefined, onlyIf: null };
  return { ...own, status, reasonCode, decidedBy };
}

function rejectedBy({ by }: DecisionCause): Omit<DueDecision, 'sendsConfirmation'> {
  const { rejection, onlyIf } = ownRejection(by);
  return { ...settled({ status: 'RJCT', reasonCode: rejection.isoCode }, 'gateway'), rejection, onlyIf };
}

function ownRejection(by: DecisionCause['by']): {
  readonly rejection: Rejection;
  readonly onlyIf: DecisionCondition;
} {
  switch (by) {
    case 'destination':
    case 'record':
      throw new Error('a final or a confirmed outcome is stored before it decides');
    case 'deadline':
      return { rejection: reject('deadline-expired'), onlyIf: 'past-deadline' };
    case 'unreachable':
      return { rejection: reject('destination-unreachable'), onlyIf: 'unreachable' };
  }
}

/** How the sender of a late final gets the confirmation, which states the decision. */
export type LateSender =
  /** It must be sent one: its final came in an HTTP answer, or is read from the record later. */
  | 'untold'
  /** The HTTP answer to its final carries the confirmation. */
  | 'answered'
  /** One was requested already: by the decision, written a moment ago, or when the same final was handled before. */
  | 'told';

/** The effects of a late final. It changes neither the decision nor what the FX provider was told. */
export interface LateFinal {
  /** If so, an alert tells the operators, once per report; a header in the HTTP answer tells the sender. */
  readonly isContradiction: boolean;
  /**
   * `ask`: send the confirmation to the destination, again if need be. `ask-if-given-up`: only if its delivery was
   * given up, because a destination that posts a final is reachable again. null: leave it.
   */
  readonly confirmation: 'ask' | 'ask-if-given-up' | null;
}

/** Determines who is told of a late final, whichever way it came. */
export function lateFinal(
  decision: Pick<Decision, 'status' | 'confirmationMessageId'>,
  { status, sender }: { readonly status: string; readonly sender: LateSender },
): LateFinal {
  const confirmation = decision.confirmationMessageId === null ? null : confirmationFor[sender];
  return { isContradiction: contradicts(decision, status), confirmation };
}

const confirmationFor = {
  untold: 'ask',
  answered: 'ask-if-given-up',
  told: null,
} as const satisfies Record<LateSender, LateFinal['confirmation']>;

/** Whether the final that a destination reports differs from the decision. */
export function contradicts(decision: Pick<Decision, 'status'>, reported: string): boolean {
  return reported !== decision.status;
}

/** The cause by which the sweep decides a payment, if the record alone is enough to decide it. */
export function causeOnRecord({
  finalReportId,
  hasOutcome,
  isOverdue,
}: {
  /** The destination's first stored final, if there is one. */
  readonly finalReportId: string | null;
  /** Whether operators have confirmed an outcome. */
  readonly hasOutcome: boolean;
  readonly isOverdue: boolean;
}): DecisionCause | undefined {
  if (finalReportId !== null) {
    return { by: 'destination', reportMessageId: finalReportId, wantsConfirmation: true };
  }
  if (hasOutcome) return { by: 'record' };
  return isOverdue ? { by: 'deadline' } : undefined;
}
