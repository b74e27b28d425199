// The clock of the database runs weeks ahead for a moment, while somebody reads books and the schedule makes them. What
// is not over is not closed by it, and what was closed so all the same is told of (REC-2, OBS-6).
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { createDecidePayment } from '../../../activities/payments/decide-payment.ts';
import { createSendBooks } from '../../../activities/books/send-books.ts';
import { watchBooks } from '../../../activities/books/watch-books.ts';
import { dayFrom, dayMs } from '../../../core/books/reconciliation.ts';
import { listBooksSent } from '../../../db/books/book-pages.ts';
import { listAlerts } from '../../../db/records/cases.ts';
import { closeBooks } from '../../../db/books/closed-books.ts';
import { connect } from '../../../db/pool/connection.ts';
import { readMovements } from '../../../db/books/reconciliation.ts';
import { bothClocks } from '../../harness/both-clocks.ts';
import { storeReport } from '../../harness/reports.ts';
import { inActivity, workbench } from '../workbench.ts';

const bench = await workbench();
const clocks = await bothClocks(bench.deps.db);
const db = connect(bench.databaseUrl, { applicationName: 'isthmus-test', maxConnections: 6 });
afterAll(() => db.destroy());
const deps = { ...bench.deps, db };
const now = Date.now();
const today = Math.floor(now / dayMs) * dayMs;
const midnight = today + dayMs;
const inWeeks = midnight + 20 * dayMs + 120_000;
const sendBooks = () => inActivity(createSendBooks(deps, { redeliver: () => Promise.resolve() }));
const sent = async (day: number) =>
  (await listBooksSent(db, dayFrom(new Date(day)), undefined)).map(({ book }) => book);

/** The payments in Singapore's book of a day. */
async function inBook(day: number): Promise<readonly string[]> {
  const book = { of: 'clearing-system', clearingSystemId: 'SGDFAST', currency: 'SGD' } as const;
  const found: string[] = [];
  for await (const some of readMovements(db, { book, period: dayFrom(new Date(day)), seesAll: true }))
    found.push(...some.map(({ uetr }) => uetr));
  return found;
}

async function told(kind: string): Promise<readonly unknown[]> {
  const stop = watchBooks(deps, { scheduleBooks: () => Promise.resolve() }, 50);
  try {
    return await vi.waitFor(async () => {
      const { alerts } = await listAlerts(db, { states: ['open'], kind }, { limit: 10 });
      expect(alerts.length).toBeGreaterThan(0);
      return alerts.map(({ detail }) => detail);
    }, 5_000);
  } finally {
    await stop();
  }
}

beforeEach(async () => {
  await clocks.set(now);
  await sql`delete from book_pages`.execute(db);
  await sql`delete from leases`.execute(db);
  await sql`update books_closed set until = ${new Date(today - 2 * dayMs)}`.execute(db);
});

test('a clock of the database that runs weeks ahead closes nothing that is not over, and the books of the next days are right (REC-2)', async () => {
  const { uetr } = await bench.accepted();
  await clocks.setDatabase(inWeeks);
  await expect(closeBooks(db, new Date(midnight + 20 * dayMs))).rejects.toThrow('the database clock is past');
  await expect(sendBooks()).rejects.toThrow();
  await clocks.set(now);
  const reportMessageId = await storeReport(db, uetr, { status: 'ACCC' });
  await createDecidePayment(deps)({
    uetr,
    cause: { by: 'destination', reportMessageId, wantsConfirmation: false },
  });
  expect(await closeBooks(db, new Date(midnight))).toBe(false);
  await clocks.set(midnight + 120_000);
  await sendBooks();
  expect(await inBook(today)).toEqual([uetr]);
  expect(await sent(today)).toContain('SGDFAST');
  expect(await sent(midnight)).toEqual([]);
});

test('what was closed beyond the present reads as open until it is over, and a person is told (REC-2, OBS-6)', async () => {
  await clocks.set(inWeeks); // of the whole machine
  expect(await closeBooks(db, new Date(midnight + 20 * dayMs))).toBe(true);
  await clocks.set(now);
  expect(await closeBooks(db, new Date(midnight))).toBe(false);
  expect(await told('book.closed-ahead')).toEqual([{ until: new Date(midnight + 20 * dayMs).toISOString() }]);
});

test('books are late by the clock of the database, as long as that of the worker says about the same (REC-2, OBS-6)', async () => {
  await sendBooks();
  await clocks.set(midnight + 7_200_000);
  await clocks.setDatabase(midnight + 7_200_000 + 60_000);
  const days = (await told('book.late')).map((detail) => (detail as { day: string }).day); // of every party
  expect(new Set(days)).toEqual(new Set([new Date(today).toISOString().slice(0, 10)]));
});

test('a worker whose clock is hours ahead of the database’s, or behind it, calls no book late, and a person is told of the clocks (REC-2, OBS-6)', async () => {
  const late = async () =>
    (await listAlerts(db, { states: ['open'], kind: 'book.late' }, { limit: 100 })).alerts.length;
  await sendBooks();
  const before = await late();
  await clocks.set(midnight + 7_200_000);
  await clocks.setDatabase(now);
  expect(await told('book.clocks-apart')).toEqual([{ ahead: 'worker' }]);
  await clocks.setDatabase(inWeeks);
  await vi.waitFor(async () => {
    await sql`delete from leases`.execute(db);
    expect(await told('book.clocks-apart')).toContainEqual({ ahead: 'database' });
  }, 5_000);
  expect(await late()).toBe(before);
});

test('an account that passes on while the clock of the database is weeks ahead is told to a person, with whose its days are until when (REC-1, SEC-1, OBS-6)', async () => {
  const pass = (owner: string) =>
    sql`update settlement_accounts set owner_id = ${owner} where account_id = 'LOTU-TH-THB'`.execute(db);
  await pass('MY-LOTU'); // by a clock that is right: nobody is told
  await clocks.setDatabase(inWeeks);
  await pass('SG-LOTU');
  await clocks.set(now);
  expect(await told('book.passed-ahead')).toEqual([
    { sap: 'TH-HARB', account: 'LOTU-TH-THB', until: new Date(midnight + 21 * dayMs).toISOString() },
  ]);
});
