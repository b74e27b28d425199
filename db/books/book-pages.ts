// Stores each page of a camt.054 once, in one statement with its message and its delivery.
import { sql } from 'kysely';
import { bookKey, booksToSend, type BookProgress, type SentBook } from '../../core/books/daily-books.ts';
import type { Period } from '../../core/books/reconciliation.ts';
import type { ReferenceData } from '../../core/scheme/reference.ts';
import type { Db } from '../pool/connection.ts';
import { isThere } from '../pool/statements.ts';
import { isOpen } from '../deliveries/deliveries.ts';
import { storedOutgoing, type OutgoingMessage } from '../records/messages.ts';
import { newRowId } from '../pool/row-ids.ts';

/** A book that the worker sends to its owner every day, and how far its pages have been stored. */
export interface OwedBook extends SentBook {
  readonly key: string;
  readonly progress: BookProgress;
  /** Current time of the database clock. */
  readonly now: Date;
}

/** Reads the books that are sent daily, with their progress. Books without a registered endpoint are left out. */
export async function readOwedBooks(db: Db, data: ReferenceData): Promise<readonly OwedBook[]> {
  const books = booksToSend(data).map((one) => ({ ...one, key: bookKey(one.book) }));
  // served by the unique index on (book, period_from, period_to, page); an account has no books before its
  // registration
  const { rows } = await sql<Pick<BookProgress, 'registeredAt' | 'madeUntil'> & { nth: number; now: Date }>`
    select b.nth::int, clock_timestamp() as now, greatest(e.registered_at, b.account_since) as "registeredAt",
      (select max(p.period_to) from book_pages p where p.book = b.key and p.page = p.pages
        and p.period_from >= b.owned_from and p.period_to <= b.owned_until) as "madeUntil"
    from unnest(${books.map(({ key }) => key)}::text[], ${books.map((one) => one.registeredAs)}::text[],
      ${books.map(({ accountSince }) => accountSince ?? '-infinity')}::timestamptz[],
      ${books.map(({ ownedFrom }) => ownedFrom ?? '-infinity')}::timestamptz[],
      ${books.map(({ ownedUntil }) => ownedUntil ?? 'infinity')}::timestamptz[])
      with ordinality as b (key, party_id, account_since, owned_from, owned_until, nth)
    join book_endpoints e using (party_id)`.execute(db);
  return rows.flatMap(({ nth, now, ...made }) => {
    const one = books[nth - 1];
    if (one === undefined) return [];
    const { ownedFrom, ownedUntil } = one;
    return [{ ...one, progress: { ...made, ownedFrom, ownedUntil }, now }];
  });
}

export interface BookPage {
  readonly book: string;
  readonly period: Period;
  /** Page number, from 1. */
  readonly page: number;
  readonly pages: number;
}

/**
 * Stores a page and its delivery. The subject id of the message is the id of the page.
 * @returns true if the page is new; false if it was stored before, in which case nothing changes
 */
export function storeBookPage(
  db: Db,
  { book, period, page, pages }: BookPage,
  message: OutgoingMessage,
): Promise<boolean> {
  const { subjectId, messageId, party } = message;
  return isThere(
    db,
    sql`
    with made as (
      insert into book_pages (book_page_id, book, party, period_from, period_to, page, pages, message_id)
      values (${subjectId}, ${book}, ${party}, ${period.from}, ${period.to}, ${page}, ${pages}, ${messageId})
      on conflict (book, period_from, period_to, page) do nothing
      returning book_page_id
    ),
    ${storedOutgoing(db, [message], sql`exists (select from made)`)}
    insert into deliveries (delivery_id, subject_id, begun_at, kind, message_id, party)
    select ${newRowId()}::uuid, book_page_id, now(), 'book', ${messageId}::uuid, ${party} from made
    returning delivery_id`,
  );
}

/** One day's book, and how many of its pages its receiver has acknowledged. */
export interface BookSent {
  readonly book: string;
  readonly party: string;
  readonly from: Date;
  readonly to: Date;
  readonly pages: number;
  /** Number of pages stored so far. The worker sends each page as soon as it is stored. */
  readonly made: number;
  readonly taken: number;
  /** Pages whose delivery was given up. Alerts and redeliveries name a page by its `subjectId`. */
  readonly deadPages: readonly { readonly page: number; readonly subjectId: string }[];
  /** When the next attempt to send a page is due; null: there will be no further attempt. */
  readonly nextDueAt: Date | null;
}

/**
 * Lists the books of a day that have stored pages, sent or not.
 * @param party the receiver; undefined: all receivers
 */
export async function listBooksSent(
  db: Db,
  { from, to }: Period,
  party: string | undefined,
): Promise<readonly BookSent[]> {
  // served by index book_pages_period and the unique index on (subject_id, kind)
  const { rows } = await sql<BookSent>`
    select p.book, p.party, p.period_from as "from", p.period_to as "to", max(p.pages) as pages, count(*)::int as made,
      count(d.delivered_at)::int as taken,
      coalesce(jsonb_agg(jsonb_build_object('page', p.page, 'subjectId', p.book_page_id) order by p.page)
        filter (where d.closed_at is not null), '[]') as "deadPages",
      min(d.next_due_at) filter (where ${isOpen}) as "nextDueAt"
    from book_pages p
    join deliveries d on d.subject_id = p.book_page_id and d.kind = 'book'
    where p.period_from = ${from} and p.period_to = ${to}
      and ${party === undefined ? sql`true` : sql`p.party = ${party}`}
    group by p.book, p.party, p.period_from, p.period_to
    order by p.book`.execute(db);
  return rows;
}
