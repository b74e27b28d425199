/**
 * Chooses the decision of a payment, and the parties to tell about a later final status (PAY-7, PAY-9). The
 * table in payment-states.ts lists the parties to tell about the decision. Pure: all facts are arguments. The
 * SQL statement that writes the decision checks its condition again (`db/payments/decisions.ts`).
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
 * Why a payment is decided now: a pacs.002 of the destination, one of the gateway's two reasons, or the
 * record. If a final status of the destination is stored, it decides, whatever the cause.
 */
export type DecisionCause =
  | {
      readonly by: 'destination';
      readonly reportMessageId: string;
      /**
       * Whether to send a confirmation. False if the destination posted the report to the gateway: the HTTP
       * answer is then the confirmation. True if the report came in an HTTP answer, or is read from the
       * record later.
       */
      readonly wantsConfirmation: boolean;
    }
  /** The deadline of a HIGH payment has passed: RJCT AB03. */
  | { readonly by: 'deadline' }
  /**
   * 60 s after a NORM payment was accepted, it is certain that nothing was sent to the destination: RJCT
   * ED06.
   */
  | { readonly by: 'unreachable' }
  /**
   * The record decides: an existing decision, a stored final status, or an outcome that two operators
   * recorded and confirmed. With this cause the gateway itself never rejects, and no report has to be
   * compared or confirmed.
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
  /**
   * The first final status report from the destination while the payment was undecided. It decides, whatever
   * the cause.
   */
  readonly firstFinal: StoredReport | null;
  /** The outcome that operators confirmed. It decides unless a final status of the destination does. */
  readonly outcome: ConfirmedOutcome | null;
  /** Deadline of a HIGH payment, epoch milliseconds; null for NORM. */
  readonly deadlineAt: number | null;
  /** Database clock, epoch milliseconds. */
  readonly now: number;
}

/** Milliseconds, by the database clock, until the cause may decide; 0 if it may decide now. */
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
  /** The destination's final status report that decides; null if something else decides. */
  readonly report: StoredReport | null;
  /** The confirmed outcome that decides; null if something else decides. */
  readonly outcomeId: string | null;
  /** Present if the gateway itself rejects the payment. */
  readonly rejection: Rejection | undefined;
  readonly onlyIf: DecisionCondition | null;
  /**
   * Whether to send the confirmation, if one is due. False if the HTTP answer to the destination already
   * carries it.
   */
  readonly sendsConfirmation: boolean;
}

/**
 * Chooses the decision. The first stored final status decides, whatever the cause; if there is none, the
 * operators' confirmed outcome decides; otherwise the cause decides.
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

/** How the sender of a late final status gets the confirmation, which states the decision. */
export type LateSender =
  /** The gateway must send one: the final status came in an HTTP answer, or is read from the record later. */
  | 'untold'
  /** The HTTP answer to the late final status carries the confirmation. */
  | 'answered'
  /**
   * A confirmation is already due: the decision was just written, or the same final status was handled
   * before.
   */
  | 'told';

/**
 * The effects of a late final status. It changes neither the decision nor the notification to the FX
 * provider.
 */
export interface LateFinal {
  /**
   * Whether it contradicts the decision. If so, one alert per report informs the operators, and a header in
   * the HTTP answer informs the sender.
   */
  readonly isContradiction: boolean;
  /**
   * `ask`: send the confirmation to the destination, even if it was sent before. `ask-if-given-up`: send it
   * only if its delivery was given up, because a destination that posts a final status is reachable again.
   * null: do nothing.
   */
  readonly confirmation: 'ask' | 'ask-if-given-up' | null;
}

/** Determines the effects of a late final status, whichever way it came. */
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

/** Whether the final status that a destination reports differs from the decision. */
export function contradicts(decision: Pick<Decision, 'status'>, reported: string): boolean {
  return reported !== decision.status;
}

/**
 * The cause by which the sweep decides a payment; undefined if the record alone is not enough to decide it.
 */
export function causeOnRecord({
  finalReportId,
  hasOutcome,
  isOverdue,
}: {
  /** Id of the destination's first stored final status report, if there is one. */
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
