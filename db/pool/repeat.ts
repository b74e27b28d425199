// Repeats background work of a process until it is stopped.
import { setTimeout as delay } from 'node:timers/promises';

/**
 * @param work one run; must not throw; returns the milliseconds until the next run; its signal tells it to
 *   stop
 * @returns a function that stops the repetition, and waits for the run under way
 */
export function repeat(work: (signal: AbortSignal) => Promise<number>): () => Promise<void> {
  const stopped = new AbortController();
  const { signal } = stopped;
  const working = (async () => {
    while (!signal.aborted) {
      const nextInMs = await work(signal);
      await delay(nextInMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  })();
  return async () => {
    stopped.abort();
    await working;
  };
}
