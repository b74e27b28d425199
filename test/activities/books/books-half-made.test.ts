// The first book of a receiver cannot be made. The next days wait for it (REC-2).
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { createDecidePayment } from '../../../activities/payments/decide-payment.ts';
import { createSendBooks } from '../../../activities/books/send-books.ts';
import { listBooksSent } from '../../../db/books/book-pages.ts';
import { copyDecided } from '../../../fixtures/many-payments.ts';
import { storeReport } from '../../harness/reports.ts';
import { inActivity, workbench } from '../workbench.ts';
import { rewritten } from '../../harness/rewritten.ts';
import { dayIsQuiet } from '../../harness/midnight.ts';

await dayIsQuiet();
const { deps, accepted } = await workbench();
const { db } = deps;
const dayMs = 86_400_000;
const today = Math.floor(Date.now() / dayMs) * dayMs;
const dayBefore = (days: number) => ({
  from: new Date(today - days * dayMs),
  to: new Date(today - (days - 1) * dayMs),
});

const sendBooks = createSendBooks(deps, { redeliver: () => Promise.resolve() });
const made = () => inActivity(sendBooks);

/** Lets a day pass: what is on record is a day older. */
async function aDayPasses() {
  await rewritten(db, sql`update decisions set decided_at = decided_at - interval '1 day'`);
  await sql`update book_pages set period_from = period_from - interval '1 day', period_to = period_to - interval '1 day'`.execute(
    db,
  );
  await sql`update book_endpoints set registered_at = registered_at - interval '1 day'`.execute(db);
}

const sent = async (days: number) =>
  (await listBooksSent(db, dayBefore(days), undefined)).find(({ book }) => book === 'SGDFAST');

beforeEach(async () => {
  await sql`delete from book_pages`.execute(db); // nobody was sent anything yet
  await rewritten(db, sql`delete from decisions`);
  await sql`update book_endpoints set url = 'https://books.example' where party_id = 'SGDFAST'`.execute(db);
  await sql`update book_endpoints set registered_at = now()`.execute(db);
  const { uetr } = await accepted();
  const reportMessageId = await storeReport(db, uetr, { status: 'ACCC' });
  const cause = { by: 'destination', reportMessageId, wantsConfirmation: false } as const;
  await createDecidePayment(deps)({ uetr, cause });
  await rewritten(db, sql`update decisions set decided_at = ${dayBefore(1).from}`);
  await copyDecided(db, { of: uetr, count: 200, decidedAt: dayBefore(1).from.toISOString() });
});

test('the first book of a receiver that could not be made: the next days wait for it (REC-2, SEC-9)', async () => {
  await rewritten(
    db,
    sql`update payments set source_references = source_references #- '{original,endToEndId}' where uetr in (
    select uetr from decisions)`,
  );
  await made();
  expect(await sent(1)).toBeUndefined();
  const { rows } =
    await sql`select from audit_events where kind = 'book.defect' and party = 'SGDFAST'`.execute(db);
  expect(rows.length).toBe(1);
  await aDayPasses();
  await rewritten(
    db,
    sql`update payments set source_references = jsonb_set(source_references, '{original,endToEndId}', '"mended"')`,
  );
  await made();
  expect(await sent(2)).toMatchObject({ pages: 2, made: 2 });
});
