// Background work of a process, one time after the other, until it is stopped.
import { setTimeout as delay } from 'node:timers/promises';

/**
 * @param work must not fail; answers the milliseconds until the next time. Its signal says that it should end.
 * @returns stops it, after the work under way
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
