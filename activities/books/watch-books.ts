// Ensures that a Temporal schedule sends the books of each day. Raises an alert if that fails, for example
// because the schedule is paused, clocks differ, or books are closed until a future time.
import { lateDay } from '../../core/books/daily-books.ts';
import { alertUnlessOpen } from '../../db/records/audit.ts';
import { readOwedBooks } from '../../db/books/book-pages.ts';
import { clockAhead, closedAhead, passedAhead } from '../../db/books/closed-books.ts';
import { takeLease } from '../../db/pool/leases.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { repeat } from '../../db/pool/repeat.ts';
import type { Executions } from '../sweep/executions.ts';

const everyMsDefault = 10 * 60_000;
const afterFailureMs = 30_000;
const leaseMs = 60_000; // Milliseconds. Meanwhile another worker would raise the same alerts.

/** @returns a function that stops the watch */
export function watchBooks(
  deps: ActivityDependencies,
  executions: Pick<Executions, 'scheduleBooks'>,
  everyMs = everyMsDefault,
): () => Promise<void> {
  return repeat(() => look(deps, executions, everyMs));
}

/** Alerts do not wait for Temporal, because a Temporal outage may be why books are late. */
async function look(
  deps: ActivityDependencies,
  executions: Pick<Executions, 'scheduleBooks'>,
  everyMs: number,
): Promise<number> {
  const done = await Promise.all([
    isDone(deps, 'the schedule of the daily books could not be made', () => executions.scheduleBooks()),
    isDone(deps, 'it could not be seen whether books are late', () => tell(deps)),
  ]);
  return done.every(Boolean) ? everyMs : Math.min(everyMs, afterFailureMs);
}

async function isDone(
  { logger }: ActivityDependencies,
  failed: string,
  act: () => Promise<void>,
): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    logger.warn({ err: error }, `${failed}; trying again`);
    return false;
  }
}

async function tell(deps: ActivityDependencies): Promise<void> {
  const { isOurs } = await takeLease(deps.db, { name: 'books', holder: deps.workerId, forMs: leaseMs });
  if (!isOurs) return;
  await tellOfLateBooks(deps);
  await tellOfClosedAhead(deps);
  await tellOfPassedAhead(deps);
}

/**
 * Raises one alert per receiver whose books are late, until an operator closes it. The database clock decides
 * what is late, because it also closes the books. If the clocks differ too much to judge that, it raises an
 * alert about the clocks.
 */
async function tellOfLateBooks({ db, logger, reference }: ActivityDependencies): Promise<void> {
  const owed = await readOwedBooks(db, reference());
  const [first] = owed;
  if (first === undefined) return;
  const ahead = clockAhead(first.now);
  if (ahead !== undefined) {
    logger.warn({ ahead, ofDatabase: first.now }, 'the clocks of the database and of this worker differ');
    await alertUnlessOpen(db, { kind: 'book.clocks-apart', detail: { ahead } });
    return;
  }
  const late = new Map<string, string>();
  for (const { party, progress, now } of owed) {
    const day = lateDay(progress, now);
    if (day !== undefined && day < (late.get(party) ?? '9')) late.set(party, day);
  }
  for (const [party, day] of late) {
    await alertUnlessOpen(db, { kind: 'book.late', party, detail: { day } });
  }
}

/**
 * Raises an alert if books are closed until a future time. Decisions made before that time are booked at that
 * time, whatever the clock shows. So they appear in no earlier book.
 */
async function tellOfClosedAhead({ db, logger }: ActivityDependencies): Promise<void> {
  const until = await closedAhead(db);
  if (until === undefined) return;
  logger.warn({ until }, 'books are closed beyond the present');
  await alertUnlessOpen(db, { kind: 'book.closed-ahead', detail: { until: until.toISOString() } });
}

/**
 * Raises an alert if an account passes to its new owner only at a future time. Until then, the former owner
 * still receives the books of that account.
 */
async function tellOfPassedAhead({ db, logger }: ActivityDependencies): Promise<void> {
  for (const { owner: party, sap, account, until } of await passedAhead(db)) {
    logger.warn({ party, until }, 'an account stays its former owner’s beyond the present');
    const detail = { sap, account, until: until.toISOString() };
    await alertUnlessOpen(db, { kind: 'book.passed-ahead', party, detail });
  }
}
