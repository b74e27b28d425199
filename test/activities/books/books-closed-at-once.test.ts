// The end of a day, as several see it at once: readers of its books, those who make them, and the engine with a clock
// of its own. Who finds a day open that is over would leave its books to the next day (REC-2).
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { createSendBooks } from '../../../activities/books/send-books.ts';
import { refuseOpenPeriod } from '../../../api/books/closed-period.ts';
import { dayFrom, dayMs } from '../../../core/books/reconciliation.ts';
import { listBooksSent, readOwedBooks } from '../../../db/books/book-pages.ts';
import { closeBooks } from '../../../db/books/closed-books.ts';
import { connect } from '../../../db/pool/connection.ts';
import { bothClocks } from '../../harness/both-clocks.ts';
import { inActivity, workbench } from '../workbench.ts';

const bench = await workbench();
const clocks = await bothClocks(bench.deps.db);
const ours = 'isthmus-test-books';
const db = connect(bench.databaseUrl, { applicationName: ours, maxConnections: 4 });
const other = connect(bench.databaseUrl, { applicationName: 'isthmus-test', maxConnections: 2 });
afterAll(() => Promise.all([db.destroy(), other.destroy()]));
const deps = { ...bench.deps, db };
const today = Math.floor(Date.now() / dayMs) * dayMs;
const midnight = today + dayMs;
const yesterday = dayFrom(new Date(today - dayMs));
const sendBooks = createSendBooks(deps, { redeliver: () => Promise.resolve() });

const notClosedSince = (at: number) => sql`update books_closed set until = ${new Date(at)}`.execute(db);
const owedKeys = async () => (await readOwedBooks(db, deps.reference())).map(({ key }) => key).sort();
const sentKeys = async (period: typeof yesterday) =>
  (await listBooksSent(db, period, undefined)).map(({ book }) => book).sort();

beforeEach(async () => {
  await clocks.set(today + dayMs / 2);
  await sql`delete from book_pages`.execute(db);
  await notClosedSince(today - 2 * dayMs);
});

test('of several who read a day at once that is over, nobody is told that it is not (REC-2)', async () => {
  for (let n = 0; n < 20; n += 1) {
    await notClosedSince(today - 2 * dayMs);
    const answers = await Promise.all([db, other, db, other].map((one) => refuseOpenPeriod(one, yesterday)));
    expect(answers.filter((one) => one !== undefined)).toEqual([]);
  }
});

test('somebody closes a day by reading it while its books are begun: each is made all the same (REC-2)', async () => {
  let made: Promise<unknown> = Promise.resolve();
  await other.transaction().execute(async (reader) => {
    expect(await closeBooks(reader, yesterday.to)).toBe(true); // not committed yet
    made = inActivity(sendBooks);
    await vi.waitFor(async () => {
      const { rows } = await sql`
        select from pg_stat_activity where wait_event_type = 'Lock' and application_name = ${ours}
          and datname = current_database()`.execute(other);
      expect(rows.length).toBe(1);
    }, 5_000);
  });
  await made;
  expect(await sentKeys(yesterday)).toEqual(await owedKeys());
});

test('the books of a day that is over for the engine, and not yet for the database, are tried again until it is (REC-2)', async () => {
  await inActivity(sendBooks);
  await clocks.set(midnight + 20_000);
  const asScheduled = () => inActivity(sendBooks, { scheduledTimestampMs: midnight + 120_000 });
  await expect(asScheduled()).rejects.toMatchObject({ type: 'PeriodNotClosed', nonRetryable: false });
  await clocks.set(midnight + 61_000);
  await asScheduled();
  expect(await sentKeys(dayFrom(new Date(today)))).toEqual(await owedKeys());
});
