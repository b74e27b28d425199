// An account passes to another owner between two tries to make a day of its book: who had it gets its days, who has it
// nothing of them (REC-1, REC-2, SEC-1).
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { createDecidePayment } from '../../../activities/payments/decide-payment.ts';
import { createSendBooks } from '../../../activities/books/send-books.ts';
import { daysToSend } from '../../../core/books/daily-books.ts';
import { dayMs } from '../../../core/books/reconciliation.ts';
import { readOwedBooks } from '../../../db/books/book-pages.ts';
import { copyDecided } from '../../../fixtures/many-payments.ts';
import { storeReport } from '../../harness/reports.ts';
import { inActivity, workbench } from '../workbench.ts';
import { rewritten } from '../../harness/rewritten.ts';
import { dayIsQuiet } from '../../harness/midnight.ts';
import { eventually } from '../../harness/wait.ts';

await dayIsQuiet();
const { deps, accepted } = await workbench();
const { db } = deps;
const today = Math.floor(Date.now() / dayMs) * dayMs;
const book = 'TH-HARB LOTU-TH-THB';
const sendBooks = () => inActivity(createSendBooks(deps, { redeliver: () => Promise.resolve() }));

async function pages(): Promise<readonly string[]> {
  const { rows } = await sql<{ page: string }>`
    select to_char(period_from at time zone 'UTC', 'YYYY-MM-DD') || ' ' || page || ' ' || party as page
    from book_pages where book = ${book} order by 1`.execute(db);
  return rows.map(({ page }) => page);
}

async function ownedBy(ownerId: string): Promise<void> {
  await sql`update settlement_accounts set owner_id = ${ownerId} where account_id = 'LOTU-TH-THB'`.execute(
    db,
  );
  await eventually(() => {
    const accounts = [...deps.reference().accountsAtSap.values()];
    expect(accounts.find(({ accountId }) => accountId === 'LOTU-TH-THB')?.ownerId).toBe(ownerId);
  });
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

beforeEach(async () => {
  await sql`delete from book_pages`.execute(db);
  await sql`delete from book_endpoints where party_id not in ('SG-LOTU', 'MY-LOTU')`.execute(db);
  await sql`insert into book_endpoints (party_id, url) values
    ('SG-LOTU', 'https://old.example'), ('MY-LOTU', 'https://new.example') on conflict do nothing`.execute(
    db,
  );
  await sql`update book_endpoints set registered_at = ${new Date(today - dayMs)}`.execute(db);
  await sql`update settlement_accounts set registered_at = ${new Date(today - dayMs)}`.execute(db);
  const { uetr } = await accepted();
  const reportMessageId = await storeReport(db, uetr, { status: 'ACCC' });
  const cause = { by: 'destination', reportMessageId, wantsConfirmation: false } as const;
  await createDecidePayment(deps)({ uetr, cause });
  const decidedAt = new Date(today - dayMs);
  await rewritten(db, sql`update decisions set decided_at = ${decidedAt}`);
  await copyDecided(db, { of: uetr, count: 130, decidedAt: decidedAt.toISOString() });
  await eventually(() => expect(deps.reference().bookEndpoints.size).toBe(2));
});

test('a book that is half made when its account passes to another owner goes to the old one to its end, and the new one gets nothing of before (REC-1, REC-2, SEC-1)', async () => {
  await sql
    .raw(
      `create function fails() returns trigger language plpgsql as $$
      begin raise exception 'the disk says no' using errcode = '53100'; end $$;
    create trigger fails before insert on book_pages for each row
      when (new.page = 2 and new.book = '${book}') execute function fails()`,
    )
    .execute(db);
  await expect(sendBooks()).rejects.toThrow('the disk says no');
  await sql.raw('drop trigger fails on book_pages; drop function fails').execute(db);
  await ownedBy('MY-LOTU');
  await sendBooks();
  const [before, yesterday] = [dayOf(today - 2 * dayMs), dayOf(today - dayMs)];
  expect(await pages()).toEqual([
    `${before} 1 LOTUSGS0`,
    `${yesterday} 1 LOTUSGS0`,
    `${yesterday} 2 LOTUSGS0`,
  ]);

  // the day of the change is the old owner's to its end, the next one is the new owner's
  const nextWeek = new Date(today + 2 * dayMs + 120_000);
  const owed = (await readOwedBooks(db, deps.reference()))
    .filter(({ key }) => key === book)
    .flatMap(({ party, progress }) =>
      daysToSend(progress, nextWeek).map(({ from }) => `${dayOf(from.getTime())} ${party}`),
    );
  expect(owed.sort()).toEqual([`${dayOf(today)} LOTUSGS0`, `${dayOf(today + dayMs)} LOTUMYS0`]);
});
