// One table maps each kind of failure to its consequence for the activity. Usually Temporal retries the
// activity, which holds no slot meanwhile. If data in memory would be lost, the activity itself outlasts the
// failure. In the worker, only this file distinguishes defects of Isthmus from outside failures. In the api,
// api/http/problems/failures.ts does that.
import { setTimeout as delay } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import { isDatabaseFailure } from '../db/pool/failures.ts';

/**
 * `again`: Temporal retries the activity after `inMs` milliseconds (`given`: the failure itself sets the
 * delay). A local activity has one try, and the workflow retries it after its own pause (one-at-a-time.ts).
 * `never`: Temporal does not retry the activity, and the workflow continues from the database.
 * Temporal's SDK logs only an `unexpected` failure as an error.
 */
interface Consequence {
  readonly follows: 'again' | 'never';
  readonly inMs?: number | 'given';
  readonly unexpected?: true;
}

/** Why an activity can fail, database outages aside. Activities outlast those, or rethrow them unchanged. */
const consequences = {
  /** The gate is full, or the breaker is open. */
  Held: { follows: 'again', inMs: 'given' },
  /** This process lacked resources for a send, so nothing was sent. The shortage may end at any moment. */
  OwnResources: { follows: 'again', inMs: 1_000 },
  /**
   * The stored copy of the message fails its integrity check. Nothing is sent until an operator restores the
   * copy.
   */
  MessageChanged: { follows: 'again', inMs: 'given' },
  /**
   * This process lacks the key to open or sign the message. Nothing is sent until a worker with that key
   * runs.
   */
  KeyMissing: { follows: 'again', inMs: 'given' },
  /** No receiver is registered, or its address is not allowed. An address may be registered at any moment. */
  AddressWithdrawn: { follows: 'again', inMs: 1_000 },
  /** The destination gave no usable answer to an instruction. */
  DestinationDidNotAnswer: { follows: 'again', inMs: 'given' },
  /** The party gave no usable answer to an enquiry. */
  PartyDidNotAnswer: { follows: 'again', inMs: 'given' },
  /** A delivery waits until its next attempt is due. */
  NotYetDelivered: { follows: 'again', inMs: 'given' },
  /** Other submissions with the same keys were written first, several times. The retry comes after them. */
  KeysTaken: { follows: 'again', inMs: 50 },
  /** The day is over by Temporal's clock, but not yet by the database clock, which counts. */
  PeriodNotClosed: { follows: 'again', inMs: 30_000 },
  /** The request is already answered, or past its deadline. Nothing is sent any more. */
  TooLate: { follows: 'never' },
  /** A defect so severe that not even the sender can be told about it. */
  Defect: { follows: 'never', unexpected: true },
} as const satisfies Record<string, Consequence>;
type FailureKind = keyof typeof consequences;

type Given = {
  [Kind in FailureKind]: (typeof consequences)[Kind] extends { readonly inMs: 'given' } ? Kind : never;
}[FailureKind];

// A nextRetryDelay of 0 does not retry at once: it ends the activity for good (RETRY_STATE_TIMEOUT, server
// 1.31).
const leastRetryMs = 1;

/**
 * Creates a failure to throw. The activity holds no slot until Temporal retries it.
 * @param message for the Temporal UI; parties and codes, nothing about a person
 * @param inMs milliseconds until the retry; values below 1 and infinite values count as 1
 */
export function failure(kind: Exclude<FailureKind, Given>, message: string): ApplicationFailure;
export function failure(kind: Given, message: string, inMs: number): ApplicationFailure;
export function failure(kind: FailureKind, message: string, givenMs = leastRetryMs): ApplicationFailure {
  const { follows, inMs, unexpected }: Consequence = consequences[kind];
  const afterMs = typeof inMs === 'number' ? inMs : givenMs;
  return ApplicationFailure.create({
    type: kind,
    message,
    ...(unexpected !== true && { category: ApplicationFailureCategory.BENIGN }),
    ...(follows === 'never'
      ? { nonRetryable: true }
      : {
          nextRetryDelay: Number.isFinite(afterMs)
            ? Math.max(leastRetryMs, Math.ceil(afterMs))
            : leastRetryMs,
        }),
  });
}

/** Whether the error is a defect of Isthmus. A retry does not help against a defect. */
export function isDefect(error: unknown): boolean {
  return !isDatabaseFailure(error) && !(error instanceof ApplicationFailure);
}

const outlastMs = 20_000; // Milliseconds. Fits within startToCloseTimeout, together with an exchange of 10 s.
const pausesMs = [100, 200, 500, 1_000]; // Milliseconds. The last value repeats.

/**
 * Milliseconds for which a claim is retried while it holds a place at a gate. After that, the send counts as
 * MAYBE_SENT.
 */
export const claimForMs = 5_000;

/**
 * Writes data that exists only in memory, and retries while the database is unreachable. Otherwise the
 * outcome of an exchange would be lost and the message sent again, or an unsent claim would look like a sent
 * one.
 * @param forMs milliseconds for which to retry; default 20 s
 * @throws the database failure if it lasts longer than that; any other error at once
 */
export async function outlast<T>(write: () => Promise<T>, forMs = outlastMs): Promise<T> {
  const until = performance.now() + forMs;
  for (let tries = 0; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      if (!isDatabaseFailure(error) || performance.now() > until) throw error;
      await delay(pausesMs[Math.min(tries, pausesMs.length - 1)]);
    }
  }
}
