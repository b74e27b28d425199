/**
 * The statements of one execution, one after the other. Two local activities that run at once may be answered one by
 * one when they run, and both in one go when the history is replayed: what waits for a condition then goes on at
 * another place among the commands, the replay fails, and the execution is stuck. With one at a time there is only one
 * order.
 *
 * A statement that fails leaves its turn to the others, and is tried again in another: what cannot be done now, because
 * a row is locked, holds up no deadline, no final and no other message.
 */
import { ApplicationFailure, sleep, TimeoutFailure } from '@temporalio/workflow';

/** Runs the work at once if none is under way, else after it. It adds no turn of its own to what is not waiting. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

export function oneAtATime(): InTurn {
  let last: Promise<unknown> | undefined;
  return untilDone((work) => {
    const mine = last === undefined ? work() : last.then(work);
    const ended = mine.then(
      () => undefined,
      () => undefined,
    );
    last = ended;
    void ended.then(() => {
      if (last === ended) last = undefined;
    });
    return mine;
  });
}

const firstPauseMs = 50;
const longestPauseMs = 3_000;

/** @throws what will not change by trying again: a defect of ours, or a request to cancel */
function untilDone(inTurn: InTurn): InTurn {
  async function again<T>(work: () => Promise<T>, error: unknown, pauseMs: number): Promise<T> {
    if (!mayYetSucceed(error)) throw error;
    await sleep(pauseMs, { summary: 'the database is asked again' });
    const longerMs = Math.min(2 * pauseMs, longestPauseMs);
    return inTurn(work).catch((next: unknown) => again(work, next, longerMs));
  }
  return (work) => inTurn(work).catch((error: unknown) => again(work, error, firstPauseMs));
}

function mayYetSucceed(error: unknown): boolean {
  return isLocalFailure(error) && !(error instanceof ApplicationFailure && error.nonRetryable === true);
}

/**
 * Whether a local activity has failed: with what it threw, or by a time limit. The SDK wraps neither in an
 * ActivityFailure.
 */
export function isLocalFailure(error: unknown): boolean {
  return error instanceof ApplicationFailure || error instanceof TimeoutFailure;
}
