/**
 * What decides a payment, what the decision states, and who is told of a final that comes after it (PAY-7, PAY-9). Who is told of the decision is in the table of payment-states.ts. Pure: what is known is an argument, and the
 * statement that writes the decision checks its
 * condition again (`db/payments/decisions.ts`).
 */
import { assert } from '../assert.ts';
import { reject, type Rejection } from '../rejections/rejection.ts';
import { isFinal, type FinalStatus } from './report.ts';

/** The one decision of a payment. */
export interface Decision {
  readonly status: FinalStatus;
  readonly reasonCode: string | null;
  readonly callbackMessageId: string;
  readonly confirmationMessageId: string | null;
}

/**
 * Why it is decided now: a pacs.002 of the destination, one of two reasons of the gateway's, or whatever is on record.
 * Once a final of the destination is stored, that decides, whatever the cause.
 */
export type DecisionCause =
  | {
      readonly by: 'destination';
      readonly reportMessageId: string;
      /**
       * Whether a confirmation is to be sent. Not where the report came to our address and its sender waits
       * there, who is answered with it; always where the report came in an HTTP answer, or is taken from the record,
       * long after.
       */
      readonly wantsConfirmation: boolean;
    }
  /** HIGH deadline: RJCT AB03. */
  | { readonly by: 'deadline' }
  /** NORM, and 60 s after acceptance no byte has ever left for the destination: RJCT ED06. */
  | { readonly by: 'unreachable' }
  /**
   * What the record knows: the decision that stands, a stored final, or an outcome that two operators have recorded and
   * confirmed. The gateway rejects nothing by it, and no report is at hand that would have to be compared
   * and confirmed.
   */
  | { readonly by: 'record' };

/** A pacs.002 of the destination. */
export interface StoredReport {
  readonly messageId: string;
  readonly status: string;
  readonly reasonCode: string | null;
}

/** How a payment in doubt ended, as two operators have recorded and confirmed it. */
export interface ConfirmedOutcome {
  readonly outcomeId: string;
  readonly status: FinalStatus;
  readonly reasonCode: string | null;
}

/** Whose decision it is. */
export const deciders = ['destination', 'gateway', 'operator'] as const;
export type Decider = (typeof deciders)[number];

/** What a payment is decided by, if it is not decided yet. */
export interface DecisionFacts {
  /** The destination's report at hand, if there is one. */
  readonly report: StoredReport | null;
  /** The destination's first final that was stored while it was undecided: it decides, whatever the cause. */
  readonly firstFinal: StoredReport | null;
  /** What operators have confirmed: it decides unless a final of the destination does. */
  readonly outcome: ConfirmedOutcome | null;
  /** HIGH: until when it must be final, epoch milliseconds; null for NORM. */
  readonly deadlineAt: number | null;
  /** Database clock, epoch milliseconds. */
  readonly now: number;
}

/** Milliseconds by the database clock until the cause may decide; 0: now. */
export function untilDecidableMs(
  { firstFinal, deadlineAt, now }: DecisionFacts,
  cause: DecisionCause,
): number {
  if (cause.by !== 'deadline' || firstFinal !== null) return 0;
  assert(deadlineAt !== null, 'only a HIGH payment has a deadline');
  return Math.max(0, deadlineAt - now);
}

/**
 * What must still hold when the decision is written: 60 s over, every attempt NOT_SENT, and at least one; the
 * deadline past.
 */
export type DecisionCondition = 'unreachable' | 'past-deadline';

/** A decision that may be written. */
export interface DueDecision {
  readonly status: FinalStatus;
  readonly reasonCode: string | null;
  readonly decidedBy: Decider;
  /** The destination's final that decides; null where something else does. */
  readonly report: StoredReport | null;
  /** The outcome that decides; null where it is not the operators' decision. */
  readonly outcomeId: string | null;
  /** Where the gateway itself rejects. */
  readonly rejection: Rejection | undefined;
  readonly onlyIf: DecisionCondition | null;
  /** Whether a confirmation that is due is sent. False: the destination waits for it in the HTTP answer. */
  readonly sendsConfirmation: boolean;
}

/**
 * What a cause decides: the final that was stored first, whatever the cause; else what two operators have
 * confirmed; else the cause itself.
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
      throw new Error('what decides is stored before it decides');
    case 'deadline':
      return { rejection: reject('deadline-expired'), onlyIf: 'past-deadline' };
    case 'unreachable':
      return { rejection: reject('destination-unreachable'), onlyIf: 'unreachable' };
  }
}

/** Where the sender of a late final stands with the confirmation, which says what was decided. */
export type LateSender =
  /** Its final came in an HTTP answer, or is taken from the record long after: it waits for nothing. */
  | 'untold'
  /** It waits at our address, and is answered with it. */
  | 'answered'
  /** It is asked for since: by the decision, which was written at this very moment, or by whoever took the final before. */
  | 'told';

/** What a final of the destination leads to when the decision stands: nothing of that changes, nor what an FX provider has. */
export interface LateFinal {
  /** Operators are told by an alert, once per report; its sender by a header, where it is answered. */
  readonly isContradiction: boolean;
  /**
   * The confirmation to the destination: it goes out, again if need be; or only if it had been given up, for who
   * posts a final can be reached; null: it is left as it is.
   */
  readonly confirmation: 'ask' | 'ask-if-given-up' | null;
}

/** Who is told of a late final, whichever way it came. */
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

/** Whether what a destination reports is another final than what was decided. */
export function contradicts(decision: Pick<Decision, 'status'>, reported: string): boolean {
  return reported !== decision.status;
}

/** What decides a payment that nobody works on, if the record alone suffices. */
export function causeOnRecord({
  finalReportId,
  hasOutcome,
  isOverdue,
}: {
  /** The first final of the destination that is stored, if there is one. */
  readonly finalReportId: string | null;
  /** Whether operators have confirmed how it ended. */
  readonly hasOutcome: boolean;
  readonly isOverdue: boolean;
}): DecisionCause | undefined {
  if (finalReportId !== null) {
    return { by: 'destination', reportMessageId: finalReportId, wantsConfirmation: true };
  }
  if (hasOutcome) return { by: 'record' };
  return isOverdue ? { by: 'deadline' } : undefined;
}
