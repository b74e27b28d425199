// The books of a period (REC-1): payments by the time of their decision, database clock, UTC (REC-2). Read page by page, so
// that a day of any size needs the memory of a page.
import { createHash } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import { bookKey } from '../core/daily-books.ts';
import type { Camt054 } from '../core/iso20022/camt054.ts';
import {
  camt054Of,
  closedAfterMs,
  entriesPerPage,
  nameOf,
  periodName,
  type Book,
  type Movement,
  type Period,
  type Total,
} from '../core/reconciliation.ts';
import type { ReferenceData } from '../core/reference.ts';
import type { Db } from './connection.ts';

/** Where the next page begins: behind this payment. */
export interface BookPlace {
  /** Text, with microseconds. */
  readonly at: string;
  readonly uetr: string;
}

/** Database clock, UTC. */
export async function readNow(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('the database has a clock');
  return row.now;
}

const out = sql`p.source_amount as amount, p.source_currency as currency,
  p.destination_amount as counter_amount, p.destination_currency as counter_currency, p.message_id`;
const into = sql`p.destination_amount as amount, p.destination_currency as currency,
  p.source_amount as counter_amount, p.source_currency as counter_currency, p.forwarded_message_id as message_id`;

/**
 * Whether the destination may have seen it, as was known when the period was closed: what is found out later changes no
 * book (REC-2). Unique (subject_id, kind), primary key of delivery_attempts, index messages_subject_id.
 */
const closedAt = sql`d.decided_at + ${sql.lit(closedAfterMs)} * interval '1 millisecond'`;
const wasPerhapsSeen = sql`(
  exists (select from deliveries i join delivery_attempts a on a.delivery_id = i.delivery_id
    where i.subject_id = p.uetr and i.kind = 'instruction'
      and (a.outcome is distinct from 'NOT_SENT' or a.finished_at >= ${closedAt}))
  or exists (select from messages m
    where m.subject_id = p.uetr and m.direction = 'in' and m.leg = 'destination' and m.created_at < ${closedAt}))`;

/**
 * What is read of each side. Of an account, the source's amount comes in and the destination's goes out: its owner is paid
 * at the one place and pays at the other.
 */
function sidesOf(book: Book): readonly RawBuilder<unknown>[] {
  const side = (name: string, amount: RawBuilder<unknown>, isTheirs: RawBuilder<unknown>) => sql`
    select ${sql.lit(name)} as side, p.uetr, ${amount} from payments p where ${isTheirs}`;
  if (book.of === 'clearing-system') {
    const { clearingSystemId: id } = book;
    return [
      side('out', out, sql`p.source_clearing_system = ${id}`),
      side(
        'in',
        into,
        sql`p.destination_clearing_system = ${id} and p.source_clearing_system <> ${id} and ${wasPerhapsSeen}`,
      ),
    ];
  }
  const { sapId, accountId } = book;
  return [
    side('out', into, sql`p.destination_sap_id = ${sapId} and p.destination_account_id = ${accountId}`),
    side('in', out, sql`p.source_sap_id = ${sapId} and p.source_account_id = ${accountId}`),
  ];
}

/** An account has moved by what was credited only. */
const counts = (book: Book) => (book.of === 'account' ? sql`d.status = 'ACCC'` : sql`true`);
/** Index decisions_decided_at. */
const isWithin = ({ from, to }: Period) => sql`d.decided_at >= ${from} and d.decided_at < ${to}`;

const movements = (book: Book, period: Period) => sql`
  from decisions d
  join lateral (${sql.join(
    sidesOf(book).map((one) => sql`(${one} and p.uetr = d.uetr)`),
    sql` union all `,
  )}) b on true
  join payments p on p.uetr = d.uetr
  where ${isWithin(period)} and ${counts(book)}`;

export async function readTotals(db: Db, book: Book, period: Period): Promise<readonly Total[]> {
  const { rows } = await sql<Total>`
    select b.side, p.corridor, d.status, count(*)::int as number, sum(b.amount)::text as sum, b.currency
    ${movements(book, period)}
    group by 1, 2, 3, b.currency
    order by 1, 2, 3, b.currency`.execute(db);
  return rows;
}

/**
 * A page, by the time of the decision.
 * @param seesAll whether the other side of the exchange, the quote and its provider are shown for what came in
 */
export async function readMovements(
  db: Db,
  { book, period, seesAll }: { readonly book: Book; readonly period: Period; readonly seesAll: boolean },
  page: { readonly limit: number; readonly after?: BookPlace | undefined; readonly isReported?: boolean },
): Promise<readonly (Movement & BookPlace)[]> {
  const seen = sql`(${seesAll}::boolean or b.side = 'out')`;
  const { after } = page;
  const { rows } = await sql<Movement & BookPlace>`
    select p.uetr, d.decided_at::text as at, b.side, d.status, d.reason_code as "reasonCode",
      d.decided_by as "decidedBy", d.decided_at as "decidedAt", p.corridor, b.amount::text as amount, b.currency,
      case when ${seen} then b.counter_amount end::text as "counterAmount",
      case when ${seen} then b.counter_currency end as "counterCurrency",
      p.debtor_agent_id as "debtorAgentId", p.creditor_agent_id as "creditorAgentId",
      case when ${seen} then p.fxp_id end as "fxpId", case when ${seen} then p.quote_id end as "quoteId",
      (select m.message_identification from messages m where m.message_id = b.message_id) as "messageIdentification",
      p.source_references -> 'original' ->> 'endToEndId' as "endToEndId"
    ${movements(book, period)}
      ${after === undefined ? sql`` : sql`and (d.decided_at, d.uetr) > (${after.at}::timestamptz, ${after.uetr}::uuid)`}
      ${page.isReported === true ? sql`and ${isReported}` : sql``}
    order by d.decided_at, d.uetr
    limit ${sql.lit(page.limit)}`.execute(db);
  return rows;
}

/** A book of a closed period. */
export interface OpenedBook {
  readonly book: Book;
  readonly period: Period;
  readonly data: ReferenceData;
}

/**
 * One page of its camt.054, and how many there are; `values` is undefined beyond the last one. It shows what its owner
 * may see, whoever reads it.
 */
export async function camt054Page(
  db: Db,
  opened: OpenedBook,
  page: number,
): Promise<{ readonly pages: number; readonly values: Camt054 | undefined }> {
  const { book, period } = opened;
  const pages = await countPages(db, book, period);
  if (page > pages) return { pages, values: undefined };
  const totals = await readTotals(db, book, period);
  const after = page === 1 ? undefined : await placeBefore(db, opened, page);
  const movements = await readReported(db, opened, after);
  return { pages, values: camt054Of({ ...opened, totals, page, pages, id: idOf(opened) }, movements) };
}

/** All its pages in their order, each read when it is asked for. */
export async function* camt054Pages(
  db: Db,
  opened: OpenedBook,
): AsyncIterable<{ readonly pages: number; readonly values: Camt054 }> {
  const { book, period } = opened;
  const [pages, totals] = [await countPages(db, book, period), await readTotals(db, book, period)];
  let after: BookPlace | undefined;
  for (let page = 1; page <= pages; page += 1) {
    const movements = await readReported(db, opened, after);
    after = movements.at(-1);
    yield { pages, values: camt054Of({ ...opened, totals, page, pages, id: idOf(opened) }, movements) };
  }
}

function readReported(db: Db, { book, period }: OpenedBook, after: BookPlace | undefined) {
  const seesAll = book.of === 'account';
  return readMovements(db, { book, period, seesAll }, { limit: entriesPerPage, after, isReported: true });
}

/** Accepted once: its amounts and agents are known. */
const isReported = sql`p.accepted`;

async function countPages(db: Db, book: Book, period: Period): Promise<number> {
  const { rows } = await sql<{ number: number }>`
    select count(*)::int as number ${movements(book, period)} and ${isReported}`.execute(db);
  return Math.max(1, Math.ceil((rows[0]?.number ?? 0) / entriesPerPage));
}

async function placeBefore(
  db: Db,
  { book, period }: OpenedBook,
  page: number,
): Promise<BookPlace | undefined> {
  const { rows } = await sql<BookPlace>`
    select d.decided_at::text as at, d.uetr ${movements(book, period)} and ${isReported}
    order by d.decided_at, d.uetr
    offset ${sql.lit((page - 1) * entriesPerPage - 1)} limit 1`.execute(db);
  return rows[0];
}

/** Of the notification: of no other book and period. Ids of accounts may be longer than there is room. */
function idOf({ book, period }: OpenedBook): string {
  const name = nameOf(book);
  const short =
    book.of === 'clearing-system' && name.length <= 9
      ? name
      : createHash('sha256').update(bookKey(book)).digest('hex').slice(0, 9).toUpperCase();
  return `${periodName(period)}${short}`;
}
