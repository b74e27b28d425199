// The books of a period (REC-1): payments by the time of their decision, database clock, UTC (REC-2). Read page by page, so
// that a day of any size needs the memory of a page.
import { sql, type RawBuilder } from 'kysely';
import type { Book, Movement, Period, Total } from '../core/reconciliation.ts';
import type { Db } from './connection.ts';
import { mayHaveBeenSeen } from './payment-list.ts';

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
        sql`p.destination_clearing_system = ${id} and p.source_clearing_system <> ${id} and ${mayHaveBeenSeen}`,
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

/** Accepted once: its amounts and agents are known. */
const isReported = sql`p.accepted`;

/** How many of the reported movements stand before a page, and where it begins. */
export async function findPage(
  db: Db,
  book: Book,
  period: Period,
  { page, perPage }: { readonly page: number; readonly perPage: number },
): Promise<{ readonly pages: number; readonly after: BookPlace | undefined }> {
  const counted = await sql<{ number: number }>`
    select count(*)::int as number ${movements(book, period)} and ${isReported}`.execute(db);
  const pages = Math.max(1, Math.ceil((counted.rows[0]?.number ?? 0) / perPage));
  if (page === 1) return { pages, after: undefined };
  const { rows } = await sql<BookPlace>`
    select d.decided_at::text as at, d.uetr ${movements(book, period)} and ${isReported}
    order by d.decided_at, d.uetr
    offset ${sql.lit((page - 1) * perPage - 1)} limit 1`.execute(db);
  return { pages, after: rows[0] };
}
