// Work that an api does beside its requests, one time after the other, until it is stopped.
import { setTimeout as delay } from 'node:timers/promises';

/**
 * @param work must not fail
 * @returns stops it, after what is under way
 */
export function again(everyMs: number, work: () => Promise<void>): () => Promise<void> {
  const stopped = new AbortController();
  const { signal } = stopped;
  const working = (async () => {
    while (!signal.aborted) {
      await work();
      await delay(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  })();
  return async () => {
    stopped.abort();
    await working;
  };
}
