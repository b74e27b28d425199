// Work that a worker does again and again beside its tasks, one time after the other, until it is stopped.
import { setTimeout as delay } from 'node:timers/promises';

/**
 * @param work must not fail; answers milliseconds until the next time. Its signal says that it is stopped, and should end.
 * @returns how to stop it, after what is under way
 */
export function repeat(work: (signal: AbortSignal) => Promise<number>): () => Promise<void> {
  const stopped = new AbortController();
  const { signal } = stopped;
  const working = (async () => {
    while (!signal.aborted) {
      const nextInMs = await work(signal);
      await delay(nextInMs, undefined, { signal }).catch(() => undefined);
    }
  })();
  return async () => {
    stopped.abort();
    await working;
  };
}
