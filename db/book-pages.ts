// The pages of camt.054 that were made to be sent (REC-2), each once, together with its message and its delivery.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Period } from '../core/reconciliation.ts';
import type { Db } from './connection.ts';
import { insertOutgoing, type OutgoingMessage } from './messages.ts';

/** Until when each of these books was made, all pages of its last day included. */
export async function readMadeUntil(
  db: Db,
  books: readonly string[],
): Promise<{ readonly now: Date; readonly until: ReadonlyMap<string, Date> }> {
  // index: unique (book, period_from, period_to, page)
  const { rows } = await sql<{ book: string; until: Date | null; now: Date }>`
    select b.book, clock_timestamp() as now,
      (select max(p.period_to) from book_pages p where p.book = b.book and p.page = p.pages) as until
    from unnest(${[...books]}::text[]) as b (book)`.execute(db);
  const until = new Map(rows.flatMap(({ book, until: at }) => (at === null ? [] : [[book, at] as const])));
  return { now: rows[0]?.now ?? new Date(0), until };
}

export interface BookPage {
  readonly book: string;
  readonly period: Period;
  /** From 1. */
  readonly page: number;
  readonly pages: number;
}

/**
 * Stores a page to be sent. Its message names the page as its subject.
 * @returns whether it is new; one that was made before stands, and is or was sent
 */
export async function storeBookPage(
  db: Db,
  { book, period, page, pages }: BookPage,
  message: OutgoingMessage,
): Promise<boolean> {
  const { subjectId, messageId, party } = message;
  const { rows } = await sql`
    with made as (
      insert into book_pages (book_page_id, book, party, period_from, period_to, page, pages, message_id)
      values (${subjectId}, ${book}, ${party}, ${period.from}, ${period.to}, ${page}, ${pages}, ${messageId})
      on conflict (book, period_from, period_to, page) do nothing
      returning book_page_id
    ),
    stored as (${insertOutgoing([message], sql`exists (select from made)`)})
    insert into deliveries (delivery_id, subject_id, kind, message_id, party)
    select ${randomUUID()}::uuid, book_page_id, 'book', ${messageId}::uuid, ${party} from made
    returning delivery_id`.execute(db);
  return rows.length > 0;
}

/** A page, and how its delivery stands. */
export interface SentPage {
  readonly bookPageId: string;
  readonly book: string;
  readonly party: string;
  readonly from: Date;
  readonly to: Date;
  readonly page: number;
  readonly pages: number;
  /** Its MsgId. */
  readonly messageIdentification: string;
  readonly madeAt: Date;
  readonly attempts: number;
  /** Null: not yet. */
  readonly takenAt: Date | null;
  /** When it was given up (CBK-1); null: it was not. */
  readonly closedAt: Date | null;
  /** Of the next attempt; null: none follows. */
  readonly nextDueAt: Date | null;
}

/**
 * The pages of the books of a day.
 * @param party whose; undefined: all
 */
export async function listBookPages(
  db: Db,
  { from, to }: Period,
  party: string | undefined,
): Promise<readonly SentPage[]> {
  // indexes book_pages_period, messages_pkey; unique (subject_id, kind)
  const { rows } = await sql<SentPage>`
    select p.book_page_id as "bookPageId", p.book, p.party, p.period_from as "from", p.period_to as "to", p.page, p.pages,
      m.message_identification as "messageIdentification", p.created_at as "madeAt", d.attempts,
      d.delivered_at as "takenAt", d.closed_at as "closedAt",
      case when d.delivered_at is null and d.closed_at is null then d.next_due_at end as "nextDueAt"
    from book_pages p
    join messages m on m.message_id = p.message_id
    join deliveries d on d.subject_id = p.book_page_id and d.kind = 'book'
    where p.period_from >= ${from} and p.period_to <= ${to} and ${party ?? null}::text is not distinct from
      case when ${party ?? null}::text is null then null else p.party end
    order by p.book, p.period_from, p.page`.execute(db);
  return rows;
}
