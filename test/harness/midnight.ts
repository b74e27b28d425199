// For tests about the books of a day. A day ends at 00:00 UTC, and its books can be read a minute later.
import { setTimeout as delay } from 'node:timers/promises';

const dayMs = 86_400_000;
const testsMs = 240_000; // one file of tests, on a busy machine
const untilReadableMs = 65_000;

/** Milliseconds until a file of tests can begin that must not see the end of a day; mostly 0. */
export function untilDayIsQuietMs(now: number): number {
  const sinceQuietMs = (now - untilReadableMs) % dayMs;
  const leftMs = dayMs - untilReadableMs - testsMs - sinceQuietMs;
  return leftMs >= 0 ? 0 : dayMs - sinceQuietMs;
}

/** Resolves when no day ends before the tests of a file are over. */
export async function dayIsQuiet(): Promise<void> {
  await delay(untilDayIsQuietMs(Date.now()));
}
