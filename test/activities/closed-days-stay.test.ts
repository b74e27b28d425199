// The database fails over to one whose clock is two minutes behind, just after the book of a day was closed, read and
// sent: a closed period never changes (REC-2).
import { afterAll, expect, test } from 'vitest';
import { createDecidePayment } from '../../activities/decide-payment.ts';
import { createSendBooks } from '../../activities/send-books.ts';
import { connect } from '../../db/connection.ts';
import { listBooksSent } from '../../db/book-pages.ts';
import { readBookIndex, readMovements } from '../../db/reconciliation.ts';
import { dayFrom, dayMs } from '../../core/reconciliation.ts';
import { movableClock } from '../harness/database-clock.ts';
import { storeReport } from '../harness/reports.ts';
import { inActivity, workbench } from './workbench.ts';

const bench = await workbench();
const setAhead = await movableClock(bench.deps.db);
const db = connect(bench.databaseUrl, { applicationName: 'isthmus-test', maxConnections: 4 }); // it sees the moved clock
afterAll(() => db.destroy());
const deps = { ...bench.deps, db };
const midnight = (Math.floor(Date.now() / dayMs) + 1) * dayMs;
const day = dayFrom(new Date(midnight - dayMs));
const book = { of: 'clearing-system', clearingSystemId: 'SGDFAST', currency: 'SGD' } as const;

const setClock = (epochMs: number) => setAhead(epochMs - Date.now());

async function decided(uetr: string): Promise<void> {
  const reportMessageId = await storeReport(db, uetr, { status: 'ACCC' });
  const cause = { by: 'destination', reportMessageId, wantsConfirmation: false } as const;
  expect(await createDecidePayment(deps)({ uetr, cause })).toMatchObject({ status: 'ACCC' });
}

async function inBook(): Promise<readonly string[]> {
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
  await inActivity(createSendBooks(deps, { redeliver: () => Promise.resolve() }));
  expect((await listBooksSent(db, day, 'SGDFAST')).map(({ pages }) => pages)).toEqual([1]);
  expect(await inBook()).toEqual([early]);
  await setClock(midnight - 30_000); // two minutes behind
  await decided(late);
  await setClock(midnight + 3_600_000);
  expect(await inBook()).toEqual([early]);
}, 60_000);
