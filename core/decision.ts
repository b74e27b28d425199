/**
 * What decides a payment, what the decision states and who is told of it (PAY-7, PAY-9, TIM-1, TIM-3, NOT-1). Pure:
 * what is known is an argument, and the statement that writes the decision checks its condition again
 * (`db/decisions.ts`).
 */
import { assert } from './assert.ts';
import { reject, type Rejection } from './rejection.ts';
import { isFinal, type FinalStatus } from './report.ts';

/** The one decision of a payment (PAY-10). */
export interface Decision {
  readonly status: FinalStatus;
  readonly reasonCode: string | null;
  readonly callbackMessageId: string;
  readonly confirmationMessageId: string | null;
}

/**
 * Who decides: the destination by its pacs.002, or the gateway for one of two reasons; or nobody, yet. Once a final of
 * the destination is stored, that decides, whatever the cause (PAY-7).
 */
export type DecisionCause =
  | {
      readonly by: 'destination';
      readonly reportMessageId: string;
      /**
       * Whether a confirmation is to be sent (PAY-9). Not where the report came to our address and its sender waits
       * there, who is answered with it; always where the report came in an HTTP answer, or is taken from the record,
       * long after.
       */
      readonly wantsConfirmation: boolean;
    }
  /** HIGH deadline (TIM-1): RJCT AB03. */
  | { readonly by: 'deadline' }
  /** NORM, and 60 s after acceptance no byte has ever left for the destination (TIM-3): RJCT ED06. */
  | { readonly by: 'unreachable' }
  /**
   * Nobody: the decision that stands is asked for, or that of a stored final (LIF-2). The gateway rejects nothing by
   * it, and no report is at hand that would have to be compared and confirmed.
   */
  | { readonly by: 'record' };

/** A pacs.002 of the destination. */
export interface StoredReport {
  readonly messageId: string;
  readonly status: string;
  readonly reasonCode: string | null;
}

/** What a payment is decided by, if it is not decided yet. */
export interface DecisionFacts {
  /** The destination's report at hand, if there is one. */
  readonly report: StoredReport | null;
  /** The destination's first final that was stored while it was undecided: it decides, whatever the cause (PAY-7). */
  readonly firstFinal: StoredReport | null;
  /** HIGH: until when it must be final, epoch milliseconds; null for NORM (TIM-1). */
  readonly deadlineAt: number | null;
  /** Database clock, epoch milliseconds. */
  readonly now: number;
}

/** Milliseconds by the database clock until the cause may decide (TIM-1); 0: now. */
export function untilDecidableMs(
  { firstFinal, deadlineAt, now }: DecisionFacts,
  cause: DecisionCause,
): number {
  if (cause.by !== 'deadline' || firstFinal !== null) return 0;
  assert(deadlineAt !== null, 'only a HIGH payment has a deadline');
  return Math.max(0, deadlineAt - now);
}

/**
 * What must still hold when the decision is written: 60 s over, every attempt NOT_SENT, and at least one (TIM-3); the
 * deadline past (TIM-1).
 */
export type DecisionCondition = 'unreachable' | 'past-deadline';

/** A decision that may be written. */
export interface DueDecision {
  readonly status: FinalStatus;
  readonly reasonCode: string | null;
  /** The final that decides; null where the gateway itself rejects. */
  readonly report: StoredReport | null;
  /** Where the gateway itself rejects. */
  readonly rejection: Rejection | undefined;
  readonly onlyIf: DecisionCondition | null;
  /**
   * Whether a confirmation is sent to the destination, if it may have seen anything. False: it waits for it in the HTTP
   * answer (PAY-9).
   */
  readonly tellsDestination: boolean;
  /** Whether the FX provider is told, where the payment has a quote (NOT-1). */
  readonly tellsFxProvider: boolean;
}

/** What a cause decides (PAY-7): the final that was stored first, whatever the cause; else the cause itself. */
export function decisionBy(cause: DecisionCause, { firstFinal, report }: DecisionFacts): DueDecision {
  const final = firstFinal ?? (cause.by === 'destination' ? report : null);
  const tellsDestination = cause.by !== 'destination' || cause.wantsConfirmation;
  if (final === null)
    return { ...ownDecision(cause), report: null, tellsDestination, tellsFxProvider: false };
  const { status, reasonCode } = final;
  assert(isFinal(status), 'only a final status decides');
  const tellsFxProvider = status === 'ACCC';
  const own = { rejection: undefined, onlyIf: null };
  return { status, reasonCode, report: final, ...own, tellsDestination, tellsFxProvider };
}

type OwnDecision = Pick<DueDecision, 'status' | 'reasonCode' | 'rejection' | 'onlyIf'>;

function ownDecision({ by }: DecisionCause): OwnDecision {
  switch (by) {
    case 'destination':
    case 'record':
      throw new Error('a report is stored before it decides');
    case 'deadline':
      return rejectedBy(reject('deadline-expired'), 'past-deadline');
    case 'unreachable':
      return rejectedBy(reject('destination-unreachable'), 'unreachable');
  }
}

function rejectedBy(rejection: Rejection, onlyIf: DecisionCondition): OwnDecision {
  return { status: 'RJCT', reasonCode: rejection.isoCode, rejection, onlyIf };
}

/** What decides a payment that nobody works on, if the record alone suffices (LIF-2). */
export function causeOnRecord({
  finalReportId,
  isOverdue,
}: {
  /** The first final of the destination that is stored, if there is one. */
  readonly finalReportId: string | null;
  readonly isOverdue: boolean;
}): DecisionCause | undefined {
  if (finalReportId !== null) {
    return { by: 'destination', reportMessageId: finalReportId, wantsConfirmation: true };
  }
  return isOverdue ? { by: 'deadline' } : undefined;
}
