// A provider that is paid and pays through one account: both movements of a payment are in the account's book, on the
// page of the one as on the next (REC-1, REC-2).
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createDecidePayment } from '../../../activities/payments/decide-payment.ts';
import { accountBook } from '../../../core/books/reconciliation.ts';
import { keyOf } from '../../../core/scheme/reference.ts';
import { readCamt054, readCamt054Page } from '../../../db/books/books-camt054.ts';
import { readBookIndex } from '../../../db/books/reconciliation.ts';
import { copyDecided } from '../../../fixtures/many-payments.ts';
import { storeReport } from '../../harness/reports.ts';
import { workbench } from '../workbench.ts';
import { rewritten } from '../../harness/rewritten.ts';

const { deps, accepted } = await workbench();
const { db } = deps;
const from = new Date('2026-01-07T00:00:00Z');
const period = { from, to: new Date('2026-01-08T00:00:00Z') };

test('the pages of an account that payments come in by and go out by, read one by one, are those that are sent (REC-1, REC-2)', async () => {
  const { uetr } = await accepted();
  const reportMessageId = await storeReport(db, uetr, { status: 'ACCC' });
  const cause = { by: 'destination', reportMessageId, wantsConfirmation: false } as const;
  await createDecidePayment(deps)({ uetr, cause });
  await rewritten(db, sql`update decisions set decided_at = ${from}`);
  // as between two systems of one currency
  await rewritten(
    db,
    sql`update payments set source_sap_id = destination_sap_id, source_account_id = destination_account_id,
    source_currency = destination_currency`,
  );
  await copyDecided(db, { of: uetr, count: 125, decidedAt: from.toISOString() });
  const { rows } = await sql<{ sap: string; account: string }>`
    select destination_sap_id as sap, destination_account_id as account from payments where uetr = ${uetr}`.execute(
    db,
  );
  const data = deps.reference();
  const known = data.bookedAccounts.get(keyOf(rows[0]?.sap ?? '', rows[0]?.account ?? ''));
  const book = known && accountBook(known, new Date());
  if (book === undefined) throw new Error('reference data has the account');
  const opened = { book, period, data };
  const index = await readBookIndex(db, book, period);
  expect(index.pages).toBe(3);
  const read: string[] = [];
  for (let page = 1; page <= index.pages; page += 1) {
    const { entries } = await readCamt054Page(db, opened, { index, page });
    read.push(...entries.map((one) => `${one.reference} ${one.uetr} ${one.direction}`));
  }
  const sent: string[] = [];
  for await (const { values } of readCamt054(db, opened)) {
    sent.push(...values.entries.map((one) => `${one.reference} ${one.uetr} ${one.direction}`));
  }
  expect(sent.length).toBe(252);
  expect(read.length).toBe(252);
  expect(read).toEqual(sent);
});
