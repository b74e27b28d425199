/**
 * When a failed send is repeated and when it is given up: for deliveries (CBK-1) and for instructions and requests.
 */

/** What is stored is not what was stored, or is no longer there: it is never sent. */
export const messageChanged = 'message-changed';

/** This process lacks the key of SEALING_KEYS without which it cannot open it: another one may have it. */
export const keyMissing = 'key-missing';

/**
 * What the record calls an attempt that became no send through us alone: our machine was short of something, our process
 * ended or lacks a key, or our copy of the message is not what it was. It uses up no attempt, and ends nothing.
 */
export const ownFaults: readonly string[] = ['own-resources', 'closed', messageChanged, keyMissing];

export const isOwnFault = (outcome: string, errorClass: string | null): boolean =>
  outcome === 'NOT_SENT' && errorClass !== null && ownFaults.includes(errorClass);

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

const ownFaultMs = 5 * second; // each try is a row of the record, and a lack of ours is one of every receiver

/**
 * Milliseconds until the next try after a fault of our own. A message that was changed waits for a person, who puts it
 * back, and one that does not open here for another process: it is looked at ever more seldom, but within a minute.
 * @param attempts made of the delivery, ever
 */
export const afterOwnFaultMs = (errorClass: string, attempts: number): number =>
  errorClass === messageChanged || errorClass === keyMissing
    ? Math.min(attempts * second, minute)
    : ownFaultMs;

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

/** Milliseconds after which an unsuccessful delivery is given up. */
export const giveUpAfterMs = 72 * hour;
const variation = 0.2; // each delay varied by up to 20 %

export interface FailedAttempt {
  /** Attempts since the delivery was requested, including this one. */
  readonly attempts: number;
  /** Milliseconds since it was requested. */
  readonly elapsedMs: number;
  /** HTTP status of the receiver's answer, if it answered. */
  readonly httpStatus: number | null;
  /** Its `Retry-After` in milliseconds, if any. */
  readonly retryAfterMs: number | null;
  /** 0 to 1, drawn by the caller. */
  readonly random: number;
}

export type NextAttempt =
  | { readonly kind: 'retry'; readonly inMs: number }
  | { readonly kind: 'closed'; readonly reason: 'gone' | 'expired' };

/** What follows a failed attempt: 410 and 72 hours end the delivery; else the schedule or a longer `Retry-After`. */
export function nextAttempt(failed: FailedAttempt): NextAttempt {
  if (failed.httpStatus === 410) return { kind: 'closed', reason: 'gone' };
  const delayMs = delaysMs[Math.min(failed.attempts, delaysMs.length) - 1] ?? second;
  const variedMs = Math.round(delayMs * (1 - variation + 2 * variation * failed.random));
  const inMs = Math.max(variedMs, Math.min(failed.retryAfterMs ?? 0, 8 * hour)); // seam: next-attempt
  const remainingMs = giveUpAfterMs - failed.elapsedMs;
  return remainingMs <= 0
    ? { kind: 'closed', reason: 'expired' }
    : { kind: 'retry', inMs: Math.min(inMs, remainingMs) }; // the last attempt falls at 72 hours
}

const retryDelaysMs: readonly number[] = [1 * second, 2 * second, 5 * second];

/**
 * When an instruction or request is sent again after sends without a usable answer.
 * @param sends made in this round
 * @returns milliseconds; undefined after the last retry
 */
export function retryDelayMs(sends: number): number | undefined {
  return retryDelaysMs[sends - 1];
}
