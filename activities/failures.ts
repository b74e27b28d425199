// One table says what follows for an activity from each failure of the world. Usually Temporal calls the activity
// again, and it holds nothing meanwhile. If data in memory would be lost, the activity outlasts the failure. In the
// worker, only this file distinguishes our defects from failures; in the api, api/http/problems/failures.ts does.
import { setTimeout as delay } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import { isDatabaseFailure } from '../db/pool/failures.ts';

/**
 * `again`: Temporal calls the activity again after `inMs` milliseconds (`given`: the failure itself says after how
 * many). A local activity has one try, and the workflow makes the next one after its own pause (one-at-a-time.ts).
 * `never`: the activity is not called again, and the workflow continues from the record. Only an `unexpected` failure
 * is logged as an error by Temporal's SDK.
 */
interface Consequence {
  readonly follows: 'again' | 'never';
  readonly inMs?: number | 'given';
  readonly unexpected?: true;
}

/** Why an activity can fail, database outages aside: it outlasts those, or throws them on unchanged. */
const consequences = {
  /** A full gate, or an open breaker. */
  Held: { follows: 'again', inMs: 'given' },
  /** This process lacked resources for a send, so nothing was sent. The shortage may end at any moment. */
  OwnResources: { follows: 'again', inMs: 1_000 },
  /** Our stored copy of the message fails its integrity check, so nothing is sent until somebody restores it. */
  MessageChanged: { follows: 'again', inMs: 'given' },
  /** This process lacks the key to open or to sign the message, so nothing is sent until a worker that has it comes. */
  KeyMissing: { follows: 'again', inMs: 'given' },
  /** No receiver is registered, or its address may not be used. An address may be registered at any moment. */
  AddressWithdrawn: { follows: 'again', inMs: 1_000 },
  /** An instruction got no answer that counts. */
  DestinationDidNotAnswer: { follows: 'again', inMs: 'given' },
  /** An enquiry got no answer that counts. */
  PartyDidNotAnswer: { follows: 'again', inMs: 'given' },
  /** A delivery waits for its next attempt. */
  NotYetDelivered: { follows: 'again', inMs: 'given' },
  /** Other submissions with the same keys were written first, again and again. They are done by then. */
  KeysTaken: { follows: 'again', inMs: 50 },
  /** A day is over by Temporal's clock, but not yet by the database's, which counts. */
  PeriodNotClosed: { follows: 'again', inMs: 30_000 },
  /** Already answered, or past the deadline: nothing is sent any longer. */
  TooLate: { follows: 'never' },
  /** A defect, which cannot even be reported to the sender. */
  Defect: { follows: 'never', unexpected: true },
} as const satisfies Record<string, Consequence>;
type FailureKind = keyof typeof consequences;

type Given = {
  [Kind in FailureKind]: (typeof consequences)[Kind] extends { readonly inMs: 'given' } ? Kind : never;
}[FailureKind];

// nextRetryDelay 0 does not mean at once: it ends the activity for good (RETRY_STATE_TIMEOUT, server 1.31)
const leastRetryMs = 1;

/**
 * A failure to be thrown. The activity holds no slot until it is called again.
 * @param message for the Temporal UI: parties and codes, nothing about a person
 * @param inMs milliseconds until the next call; values below 1 and infinite values count as 1
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

/** Whether the error is a defect, not a failure of the world: a retry will not help. */
export function isDefect(error: unknown): boolean {
  return !isDatabaseFailure(error) && !(error instanceof ApplicationFailure);
}

const outlastMs = 20_000; // within startToCloseTimeout, beside an exchange of 10 s
const pausesMs = [100, 200, 500, 1_000]; // then the last one again and again

/** Milliseconds for which a claim is retried, at a place of a gate; then it counts as MAYBE_SENT. */
export const claimForMs = 5_000;

/**
 * Writes data from memory, and retries while the database is unreachable. Otherwise the outcome of an exchange would be
 * lost and the message sent again, or nobody would know that a claim was not sent.
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
