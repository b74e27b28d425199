// A reader closes a day while the schedule makes its books. Each book must still be made (REC-2).
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createSendBooks } from '../../../activities/books/send-books.ts';
import { dayFrom, dayMs } from '../../../core/books/reconciliation.ts';
import { listBooksSent, readOwedBooks } from '../../../db/books/book-pages.ts';
import { closeBooks } from '../../../db/books/closed-books.ts';
import { connect } from '../../../db/pool/connection.ts';
import { bothClocks } from '../../harness/both-clocks.ts';
import { inActivity, workbench } from '../workbench.ts';
import { dayIsQuiet } from '../../harness/midnight.ts';
import { eventually } from '../../harness/wait.ts';

await dayIsQuiet();
const bench = await workbench();
const clocks = await bothClocks(bench.deps.db);
const ours = 'isthmus-test-books';
const db = connect(bench.databaseUrl, { applicationName: ours, maxConnections: 4 });
const other = connect(bench.databaseUrl, { applicationName: 'isthmus-test', maxConnections: 2 });
afterAll(() => Promise.all([db.destroy(), other.destroy()]));
const deps = { ...bench.deps, db };
const today = Math.floor(Date.now() / dayMs) * dayMs;
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

test('somebody closes a day by reading it while its books are begun: each is made all the same (REC-2)', async () => {
  let made: Promise<unknown> = Promise.resolve();
  await other.transaction().execute(async (reader) => {
    expect(await closeBooks(reader, yesterday.to)).toBe(true); // not committed yet
    made = inActivity(sendBooks);
    await eventually(async () => {
      const { rows } = await sql`
        select from pg_stat_activity where wait_event_type = 'Lock' and application_name = ${ours}
          and datname = current_database()`.execute(other);
      expect(rows.length).toBe(1);
    });
  });
  await made;
  expect(await sentKeys(yesterday)).toEqual(await owedKeys());
});
