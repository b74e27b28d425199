// The database clock runs weeks ahead for a moment while books are read and made. No day may close before it is over
// (REC-2).
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createDecidePayment } from '../../../activities/payments/decide-payment.ts';
import { createSendBooks } from '../../../activities/books/send-books.ts';
import { dayFrom, dayMs } from '../../../core/books/reconciliation.ts';
import { listBooksSent } from '../../../db/books/book-pages.ts';
import { closeBooks } from '../../../db/books/closed-books.ts';
import { connect } from '../../../db/pool/connection.ts';
import { readMovements } from '../../../db/books/reconciliation.ts';
import { bothClocks } from '../../harness/both-clocks.ts';
import { storeReport } from '../../harness/reports.ts';
import { inActivity, workbench } from '../workbench.ts';
import { dayIsQuiet } from '../../harness/midnight.ts';

await dayIsQuiet();
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
