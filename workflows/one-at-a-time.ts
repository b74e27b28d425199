/**
 * Runs the local activities of one execution one at a time, so that a replay sees the same order. If two ran
 * at once, their results could arrive in two workflow tasks live, but in one task in a replay. Code that
 * waits for a condition would then continue at a different point in the order of commands. The replay would
 * fail, and the execution would be stuck.
 * An activity that fails lets the others run, and is retried later. So a locked row delays no deadline, no
 * final status and no other message.
 */
import { ApplicationFailure, sleep, TimeoutFailure } from '@temporalio/workflow';

/**
 * Runs the work at once if nothing else is running, otherwise after it. Work that need not wait gets no extra
 * microtask.
 */
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

/**
 * Retries with exponential backoff.
 * @throws errors that a retry cannot cure: a defect of Isthmus, or a cancel request
 */
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

/** Whether the error comes from a local activity, or from its timeout. The SDK wraps neither. */
export function isLocalFailure(error: unknown): boolean {
  return error instanceof ApplicationFailure || error instanceof TimeoutFailure;
}
