// What a failure of the world means for an activity, and what follows from it: one table. The activity waits and holds
// nothing meanwhile; or it outlasts the failure, if what is in memory would be lost. Of the worker, only this file
// tells defects of ours apart; of the api, api/http/failures.ts.
import { setTimeout as delay } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import { isDatabaseFailure } from '../db/pool/failures.ts';

/**
 * What may keep an activity from its end, but for a database that is away: that is outlasted, or thrown on as it is.
 */
type FailureKind =
  /** A full gate, or an open breaker. */
  | 'Held'
  /** We were short of what a send needs, so none was made. */
  | 'OwnResources'
  /** Our copy of what is to be sent is not what it was, so none was made. */
  | 'MessageChanged'
  /** This process lacks the key to open it, so none was made. */
  | 'KeyMissing'
  /** There is no registered receiver, or no address that may be used. */
  | 'AddressWithdrawn'
  /** An instruction had no answer that counts. */
  | 'DestinationDidNotAnswer'
  /** Nor had an enquiry. */
  | 'PartyDidNotAnswer'
  /** A delivery waits for its next attempt. */
  | 'NotYetDelivered'
  /** Other submissions with the same keys kept being written first. */
  | 'KeysTaken'
  /** A day is over for the engine, and not yet for the database, whose clock counts. */
  | 'PeriodNotClosed'
  /** Already answered, or past the deadline: nothing is sent any longer. */
  | 'TooLate'
  /** We are wrong, and cannot even say so to the sender. */
  | 'Defect';

/**
 * `again`: the engine calls the activity again, after so many milliseconds (`given`: after as many as the failure
 * itself says); a local activity has one try, and the workflow makes the next after a pause of its own
 * (one-at-a-time.ts). `never`: nobody does; the workflow continues from what is on record. An `unexpected` failure is
 * an error in the engine's log.
 */
interface Consequence {
  readonly follows: 'again' | 'never';
  readonly inMs?: number | 'given';
  readonly unexpected?: true;
}

const consequences = {
  Held: { follows: 'again', inMs: 'given' },
  OwnResources: { follows: 'again', inMs: 1_000 }, // it may end at any moment
  MessageChanged: { follows: 'again', inMs: 'given' }, // once somebody has put it back
  KeyMissing: { follows: 'again', inMs: 'given' }, // by a worker that has it
  AddressWithdrawn: { follows: 'again', inMs: 1_000 }, // one may be registered at any moment
  DestinationDidNotAnswer: { follows: 'again', inMs: 'given' },
  PartyDidNotAnswer: { follows: 'again', inMs: 'given' },
  NotYetDelivered: { follows: 'again', inMs: 'given' },
  KeysTaken: { follows: 'again', inMs: 50 }, // the other submission is done by then
  PeriodNotClosed: { follows: 'again', inMs: 30_000 }, // of the clock that is behind
  TooLate: { follows: 'never' },
  Defect: { follows: 'never', unexpected: true },
} as const satisfies Record<FailureKind, Consequence>;

type Given = {
  [Kind in FailureKind]: (typeof consequences)[Kind] extends { readonly inMs: 'given' } ? Kind : never;
}[FailureKind];

// nextRetryDelay 0 does not mean at once: it ends the activity for good (RETRY_STATE_TIMEOUT, server 1.31)
const leastRetryMs = 1;

/**
 * A failure to be thrown. Until the activity is called again it holds no slot.
 * @param message for the Temporal UI: parties and codes, nothing about a person
 * @param inMs milliseconds; whatever is given, the activity is called again
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

/** Whether the error says that we are wrong, not the world: a retry will not help. */
export function isDefect(error: unknown): boolean {
  return !isDatabaseFailure(error) && !(error instanceof ApplicationFailure);
}

const outlastMs = 20_000; // within startToCloseTimeout, beside an exchange of 10 s
const pausesMs = [100, 200, 500, 1_000]; // then the last one again and again

/** How long a claim is asked for again, milliseconds; then it counts as MAYBE_SENT. It holds a place at a gate. */
export const claimForMs = 5_000;

/**
 * Writes down what is in memory, however long the database is away. Otherwise the outcome of an exchange would be lost,
 * and sent for again; or the knowledge that a claim was not sent.
 * @param forMs milliseconds; default 20 s
 * @throws the failure when the database is away for longer than that; a defect at once
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
