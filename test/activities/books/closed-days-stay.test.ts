// The database fails over to a host whose clock is two minutes behind, just after a day was closed. A closed day
// never changes (REC-2).
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createDecidePayment } from '../../../activities/payments/decide-payment.ts';
import { createSendBooks } from '../../../activities/books/send-books.ts';
import { connect } from '../../../db/pool/connection.ts';
import { listBooksSent } from '../../../db/books/book-pages.ts';
import { readBookIndex, readMovements } from '../../../db/books/reconciliation.ts';
import { dayFrom, dayMs, type Book } from '../../../core/books/reconciliation.ts';
import { bothClocks } from '../../harness/both-clocks.ts';
import { storeReport } from '../../harness/reports.ts';
import { inActivity, workbench } from '../workbench.ts';
import { rewritten } from '../../harness/rewritten.ts';
import { dayIsQuiet } from '../../harness/midnight.ts';

await dayIsQuiet();
const bench = await workbench();
const { set: setClock } = await bothClocks(bench.deps.db);
const db = connect(bench.databaseUrl, { applicationName: 'isthmus-test', maxConnections: 4 }); // it sees the moved clock
afterAll(() => db.destroy());
const deps = { ...bench.deps, db };
const now = Date.now();
const midnight = (Math.floor(Date.now() / dayMs) + 1) * dayMs;
const day = dayFrom(new Date(midnight - dayMs));
const sent = { of: 'clearing-system', clearingSystemId: 'SGDFAST', currency: 'SGD' } as const;
const came = { of: 'clearing-system', clearingSystemId: 'THBPPAY', currency: 'THB' } as const;
const sendBooks = () => inActivity(createSendBooks(deps, { redeliver: () => Promise.resolve() }));

beforeEach(async () => {
  await setClock(now);
  await sql`delete from book_pages`.execute(db);
  await rewritten(db, sql`delete from decisions`);
  await sql`update books_closed set until = ${day.from}`.execute(db);
});

async function decided(uetr: string): Promise<void> {
  const reportMessageId = await storeReport(db, uetr, { status: 'ACCC' });
  const cause = { by: 'destination', reportMessageId, wantsConfirmation: false } as const;
  expect(await createDecidePayment(deps)({ uetr, cause })).toMatchObject({ status: 'ACCC' });
}

async function inBook(book: Book): Promise<readonly string[]> {
  const uetrs: string[] = [];
  for await (const some of readMovements(db, { book, period: day, seesAll: true })) {
    uetrs.push(...some.map(({ uetr }) => uetr));
  }
  const { totals } = await readBookIndex(db, book, day);
  expect(totals.reduce((number, one) => number + one.number, 0)).toBe(uetrs.length);
  return uetrs;
}

test('a payment that is decided when the clock is behind is in no day that was closed before (REC-2)', async () => {
  const [{ uetr: early }, { uetr: late }] = [await bench.accepted(), await bench.accepted()];
  await setClock(midnight - 60_000);
  await decided(early);
  await setClock(midnight + 90_000);
  await sendBooks();
  expect((await listBooksSent(db, day, 'SGDFAST')).map(({ pages }) => pages)).toEqual([1]);
  expect(await inBook(sent)).toEqual([early]);
  await setClock(midnight - 30_000); // two minutes behind
  await decided(late);
  await setClock(midnight + 3_600_000);
  expect(await inBook(sent)).toEqual([early]);
});

/** At its deadline; then the day is closed, and sent. */
async function rejectedAndSent(uetr: string): Promise<readonly string[]> {
  await setClock(midnight - 60_000);
  expect(await createDecidePayment(deps)({ uetr, cause: { by: 'deadline' } })).toMatchObject({
    status: 'RJCT',
  });
  await setClock(midnight + 90_000);
  await sendBooks();
  return inBook(came);
}

test('a report that comes when the clock is behind brings its payment into no book that was closed without it (REC-2)', async () => {
  const { uetr } = await bench.accepted({ priority: 'HIGH' });
  expect(await rejectedAndSent(uetr)).toEqual([]); // no byte had left
  await setClock(midnight - 30_000);
  await storeReport(db, uetr, { status: 'RJCT', reasonCode: 'AC04' });
  await setClock(midnight + 3_600_000);
  expect(await inBook(came)).toEqual([]);
});
