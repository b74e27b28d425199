// Sees to it that the books of each day are sent (REC-2): that there is a Temporal schedule for it, and that somebody is
// told where it does not do its work, because it is paused, for example.
import { setTimeout as delay } from 'node:timers/promises';
import { lateDay } from '../core/daily-books.ts';
import { readOwedBooks } from '../db/book-pages.ts';
import { takeLease } from '../db/leases.ts';
import { alertUnlessOpen } from './alert-unless-open.ts';
import type { ActivityDependencies } from './dependencies.ts';
import type { Executions } from './sweep/executions.ts';

const everyMsDefault = 10 * 60_000;
const afterFailureMs = 30_000;
const leaseMs = 60_000; // who looks meanwhile would tell the same

/** @returns how to stop it */
export function watchBooks(
  deps: ActivityDependencies,
  executions: Pick<Executions, 'scheduleBooks'>,
  everyMs = everyMsDefault,
): () => Promise<void> {
  const stopped = new AbortController();
  const { signal } = stopped;
  const watching = (async () => {
    while (!signal.aborted) {
      const nextInMs = await look(deps, executions, everyMs);
      await delay(nextInMs, undefined, { signal }).catch(() => undefined);
    }
  })();
  return async () => {
    stopped.abort();
    await watching;
  };
}

/** @returns milliseconds until the next look */
async function look(
  deps: ActivityDependencies,
  executions: Pick<Executions, 'scheduleBooks'>,
  everyMs: number,
): Promise<number> {
  try {
    await executions.scheduleBooks();
    const { isOurs } = await takeLease(deps.db, { name: 'books', holder: deps.workerId, forMs: leaseMs });
    if (isOurs) await tellOfLateBooks(deps);
    return everyMs;
  } catch (error) {
    deps.logger.warn({ err: error }, 'it could not be seen to the daily books; trying again');
    return Math.min(everyMs, afterFailureMs);
  }
}

/** One alert for each receiver of books that should have been made long ago, until an operator closes it (OBS-6). */
async function tellOfLateBooks(deps: ActivityDependencies): Promise<void> {
  const late = new Map<string, string>();
  for (const { party, progress, now } of await readOwedBooks(deps.db, deps.reference())) {
    const day = lateDay(progress, now);
    if (day !== undefined && day < (late.get(party) ?? '9')) late.set(party, day);
  }
  for (const [party, day] of late) {
    await alertUnlessOpen(deps.db, { kind: 'book.late', party, detail: { day } });
  }
}
