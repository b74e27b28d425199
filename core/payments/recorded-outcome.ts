/**
 * The outcome of a payment in doubt that operators found out by other means than messages. One operator records it with
 * evidence, another confirms it, and then it decides the payment. Before the confirmation it may be withdrawn.
 */
import { isReasonCode } from '../iso20022/pacs002.ts';
import { refused, ok, type Result } from '../result.ts';
import type { FinalStatus } from './report.ts';

export interface NewOutcome {
  readonly status: FinalStatus;
  /** The destination's reason code, from any edition of the code set. Mandatory for RJCT, null for ACCC. */
  readonly reasonCode: string | null;
  /** Free text of the operator, without personal data. */
  readonly evidence: string;
  /** Client id of the operator who recorded the outcome. */
  readonly by: string;
}

export interface RecordedOutcome {
  readonly outcomeId: string;
  readonly status: FinalStatus;
  readonly reasonCode: string | null;
  readonly evidence: string;
  readonly recordedBy: string;
  readonly recordedAt: Date;
  readonly confirmedBy: string | null;
  readonly confirmedAt: Date | null;
  readonly withdrawnBy: string | null;
  readonly withdrawnAt: Date | null;
  readonly withdrawnBecause: string | null;
}

/** Validates the reason code for a status. The refusal states the fault of the code. */
export function reasonFor(status: FinalStatus, code: string | undefined): Result<string | null, string> {
  if (code === undefined) {
    return status === 'RJCT'
      ? refused('missing: RJCT needs the reason that the destination gave, as in AC04')
      : ok(null);
  }
  if (status === 'ACCC') return refused('ACCC has no reason: leave it out');
  return isReasonCode(code)
    ? ok(code)
    : refused('must be the code that the destination gave: 1 to 4 characters');
}

/**
 * Whether the outcome is in force and says that nothing was credited. The instruction must then not be sent again,
 * because the destination might credit it.
 */
export const isSettledUncredited = ({ status, withdrawnAt }: RecordedOutcome): boolean =>
  withdrawnAt === null && status !== 'ACCC';

/** Why an outcome cannot be confirmed or withdrawn. */
export type OutcomeHindrance =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'withdrawn' }
  | { readonly kind: 'confirmed' }
  /** The operator who recorded it may not confirm it. */
  | { readonly kind: 'own' }
  | { readonly kind: 'other-status'; readonly status: FinalStatus }
  /**
   * The outcome says that nothing was credited, but the instruction may have arrived since it was recorded.
   */
  | { readonly kind: 'sent-since'; readonly attempt: number }
  /** The payment was decided before: by the destination, or by the gateway (unreachable). */
  | { readonly kind: 'decided'; readonly status: FinalStatus };

/**
 * Why an outcome cannot be confirmed, as far as its own record shows; undefined if nothing there prevents it.
 */
export function confirmationHindrance(
  outcome: RecordedOutcome | undefined,
  { by, status }: { readonly by: string; readonly status: FinalStatus },
): OutcomeHindrance | undefined {
  if (outcome === undefined) return { kind: 'unknown' };
  if (outcome.withdrawnAt !== null) return { kind: 'withdrawn' };
  if (outcome.confirmedAt !== null) return { kind: 'confirmed' };
  if (outcome.recordedBy === by) return { kind: 'own' };
  return outcome.status === status ? undefined : { kind: 'other-status', status: outcome.status };
}

/** Why an outcome cannot be withdrawn; undefined if it can. */
export function withdrawalHindrance(outcome: RecordedOutcome | undefined): OutcomeHindrance | undefined {
  if (outcome === undefined) return { kind: 'unknown' };
  if (outcome.withdrawnAt !== null) return { kind: 'withdrawn' };
  return outcome.confirmedAt === null ? undefined : { kind: 'confirmed' };
}
