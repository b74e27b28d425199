/**
 * When what failed is sent again, and when it is given up: what is told (CBK-1), and what is asked (TIM-3).
 */

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Delays between attempts, milliseconds; the last one repeats. */
const delaysMs: readonly number[] = [
  1 * second,
  2 * second,
  5 * second,
  10 * second,
  30 * second,
  1 * minute,
  2 * minute,
  5 * minute,
  15 * minute,
  30 * minute,
  1 * hour,
  2 * hour,
  4 * hour,
  8 * hour,
];

/** Milliseconds after which a delivery that was not taken is given up (CBK-1). */
export const giveUpAfterMs = 72 * hour;
const variation = 0.2; // CBK-1: each delay varied by up to 20 %

export interface FailedAttempt {
  /** How many attempts were made since the delivery was asked for, this one included. */
  readonly attempts: number;
  /** Milliseconds since it was asked for. */
  readonly elapsedMs: number;
  /** Of the receiver's answer, if it answered. */
  readonly httpStatus: number | null;
  /** From its `Retry-After`, milliseconds, if it gave one. */
  readonly retryAfterMs: number | null;
  /** 0 to 1, drawn by the caller. */
  readonly random: number;
}

export type NextAttempt =
  | { readonly kind: 'retry'; readonly inMs: number }
  | { readonly kind: 'closed'; readonly reason: 'gone' | 'expired' };

/** What follows a failed attempt: 410 ends it, 72 hours end it, else the schedule or a longer `Retry-After`. */
export function nextAttempt(failed: FailedAttempt): NextAttempt {
  if (failed.httpStatus === 410) return { kind: 'closed', reason: 'gone' };
  const delayMs = delaysMs[Math.min(failed.attempts, delaysMs.length) - 1] ?? second;
  const variedMs = Math.round(delayMs * (1 - variation + 2 * variation * failed.random));
  const inMs = Math.max(variedMs, Math.min(failed.retryAfterMs ?? 0, 8 * hour));
  const remainingMs = giveUpAfterMs - failed.elapsedMs;
  return remainingMs <= 0
    ? { kind: 'closed', reason: 'expired' }
    : { kind: 'retry', inMs: Math.min(inMs, remainingMs) }; // the last attempt falls at 72 hours
}

const retryDelaysMs: readonly number[] = [1 * second, 2 * second, 5 * second]; // TIM-3

/**
 * When what is asked is sent again after sends that had no answer that counts (TIM-3).
 * @param sends how many there were in this round
 * @returns milliseconds; undefined after the last retry
 */
export function retryDelayMs(sends: number): number | undefined {
  return retryDelaysMs[sends - 1];
}
