/** When a failed send is retried and when it is given up: for deliveries (CBK-1) and for instructions and requests. */

/** The stored message fails its integrity check, or is missing. The worker then does not send it. */
export const messageChanged = 'message-changed';

/** This process lacks the key of SEALING_KEYS that opens the message. Another process may have it. */
export const keyMissing = 'key-missing';

/**
 * Error classes of attempts that failed inside the gateway, before anything was sent. The machine lacked
 * resources, the process was closing or lacks a key, or the stored message was altered. Such an attempt uses
 * up no retry, and ends no delivery.
 */
export const ownFaults: readonly string[] = ['own-resources', 'closed', messageChanged, keyMissing];

export const isOwnFault = (outcome: string, errorClass: string | null): boolean =>
  outcome === 'NOT_SENT' && errorClass !== null && ownFaults.includes(errorClass);

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

const ownFaultMs = 5 * second; // each attempt writes a row, and a lack of resources affects all receivers

/**
 * Milliseconds until the next attempt after a fault inside the gateway. An altered message waits until a
 * person restores it, and a sealed one until a process has the key. For both, the delay grows by a second per
 * attempt, up to a minute.
 * @param attempts number of attempts of the delivery so far
 */
export const afterOwnFaultMs = (errorClass: string, attempts: number): number =>
  errorClass === messageChanged || errorClass === keyMissing
    ? Math.min(attempts * second, minute)
    : ownFaultMs;

/** Delays between attempts, in milliseconds; the last one repeats. */
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
const variation = 0.2; // jitter: each delay varies by up to 20 %

export interface FailedAttempt {
  /** Attempts since the delivery was requested, including this one. */
  readonly attempts: number;
  /** Milliseconds since the delivery was requested. */
  readonly elapsedMs: number;
  /** HTTP status of the receiver's answer, if it answered. */
  readonly httpStatus: number | null;
  /** The receiver's `Retry-After` in milliseconds, if any. */
  readonly retryAfterMs: number | null;
  /** A random number from 0 to 1, which the caller draws. */
  readonly random: number;
}

export type NextAttempt =
  | { readonly kind: 'retry'; readonly inMs: number }
  | { readonly kind: 'closed'; readonly reason: 'gone' | 'expired' };

/**
 * Decides the step after a failed attempt. HTTP 410 or 72 hours end the delivery; otherwise it is retried by
 * schedule or `Retry-After`.
 */
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
 * The delay before an instruction or request is sent again, after a send without a usable answer.
 * @param sends number of sends in this round
 * @returns milliseconds; undefined after the last retry
 */
export function retryDelayMs(sends: number): number | undefined {
  return retryDelaysMs[sends - 1];
}
