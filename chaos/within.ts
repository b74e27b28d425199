// Every step of a run has an end: a run that stands still would say nothing about the system, nor where it stands.
import { setTimeout as delay } from 'node:timers/promises';

/** @throws when the work takes longer; it is left to itself then */
export async function within<T>(seconds: number, what: string, work: Promise<T>): Promise<T> {
  const ended = new AbortController();
  const late = delay(seconds * 1_000, undefined, { signal: ended.signal }).then(() => {
    throw new Error(`not within ${seconds} s: ${what}`);
  });
  late.catch(() => undefined); // it lost
  try {
    return await Promise.race([work, late]);
  } finally {
    ended.abort();
  }
}
