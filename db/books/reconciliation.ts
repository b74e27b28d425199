// The books of a period: payments by the time of their decision, database clock, UTC. Read slice by
// slice of the decisions, whosever they are, so that neither memory nor the time of a statement grows with the period.
import { sql } from 'kysely';
import {
  addUp,
  entriesPerPage,
  type Book,
  type Movement,
  type Period,
  type Side,
  type Total,
} from '../../core/books/reconciliation.ts';
import type { Condition } from '../pool/conditions.ts';
import type { Db } from '../pool/connection.ts';

/**
 * Of a movement in a book: by the time of its decision; a payment that comes in and goes out by one account has two, of
 * which what came in stands first.
 */
export interface BookPlace {
  /** Text, with microseconds. */
  readonly at: string;
  readonly uetr: string;
  readonly side: Side;
}

const placeOf = sql`d.decided_at, d.uetr, b.side`;
const lastSide: Side = 'out'; // as text sorts them

/**
 * Which payments moved on each side, and of which end of the payment the book has the amounts. Of an account, the
 * source's amount comes in and the destination's goes out: its owner is paid at the one place and pays at the other.
 */
function sidesOf(book: Book): {
  readonly [side in Side]: { readonly isTheirs: Condition; readonly end: End };
} {
  if (book.of === 'clearing-system') {
    const { clearingSystemId: id } = book; // one that has several countries may be at both ends
    return {
      out: { isTheirs: sql`p.source_clearing_system = ${id}`, end: 'source' },
      in: { isTheirs: sql`p.destination_clearing_system = ${id} and d.perhaps_seen`, end: 'destination' },
    };
  }
  const { sapId, accountId } = book;
  return {
    out: {
      isTheirs: sql`d.status = 'ACCC' and p.destination_sap_id = ${sapId} and p.destination_account_id = ${accountId}`,
      end: 'destination',
    },
    in: {
      isTheirs: sql`d.status = 'ACCC' and p.source_sap_id = ${sapId} and p.source_account_id = ${accountId}`,
      end: 'source',
    },
  };
}

type End = 'source' | 'destination';
const otherEnd = { source: 'destination', destination: 'source' } as const;

/** The pacs.008 as it was on the book's end. */
function messageOf(book: Book): Condition {
  const of = (side: Side) =>
    sql.ref(sidesOf(book)[side].end === 'source' ? 'p.message_id' : 'p.forwarded_message_id');
  return sql`case b.side when 'out' then ${of('out')} else ${of('in')} end`;
}

/** A column of the end of the payment that the book has, or of the other one. */
function atEnd(book: Book, column: 'amount' | 'currency', which: 'own' | 'other' = 'own'): Condition {
  const of = (side: Side) => {
    const { end } = sidesOf(book)[side];
    return sql.ref(`p.${which === 'own' ? end : otherEnd[end]}_${column}`);
  };
  return sql`case b.side when 'out' then ${of('out')} else ${of('in')} end`;
}

/** Accepted once: its amounts and agents are known. */
const isReported = sql`p.accepted`;

/**
 * A part of a period: behind one place, up to the end of another's decision; undefined: from its beginning, to its end.
 */
interface Slice {
  readonly after: BookPlace | undefined;
  readonly upTo: BookPlace | undefined;
}

const decisionsAtOnce = 5_000; // some 50 ms

/** Decisions with a place in the slice; that of `after` may have one behind it. Index decisions_decided_at. */
const isIn = ({ from, to }: Period, { after, upTo }: Slice) => sql`
  d.decided_at >= ${from} and d.decided_at < ${to}
  ${after === undefined ? sql`` : sql`and (d.decided_at, d.uetr) >= (${after.at}::timestamptz, ${after.uetr}::uuid)`}
  ${upTo === undefined ? sql`` : sql`and (d.decided_at, d.uetr) <= (${upTo.at}::timestamptz, ${upTo.uetr}::uuid)`}`;

const isBehind = (after: BookPlace | undefined) =>
  after === undefined
    ? sql`true`
    : sql`(${placeOf}) > (${after.at}::timestamptz, ${after.uetr}::uuid, ${after.side}::text)`;

async function* slicesOf(db: Db, period: Period, part: Slice): AsyncIterable<Slice> {
  let { after } = part;
  for (;;) {
    const { rows } = await sql<BookPlace>`
      select d.decided_at::text as at, d.uetr, ${lastSide}::text as side from decisions d
      where ${isIn(period, { ...part, after })}
      order by d.decided_at, d.uetr offset ${sql.lit(decisionsAtOnce - 1)} limit 1`.execute(db);
    const [upTo] = rows;
    yield { after, upTo: upTo ?? part.upTo };
    if (upTo === undefined) return;
    after = upTo;
  }
}

function movements(book: Book, period: Period, slice: Slice): Condition {
  const sides = sidesOf(book);
  return sql`
    from decisions d
    cross join lateral (select * from payments where uetr = d.uetr offset 0) p -- by its primary key, never all of them
    cross join (values ('out'), ('in')) as b (side)
    where ${isIn(period, slice)} and ${isBehind(slice.after)}
      and case b.side when 'out' then ${sides.out.isTheirs} else ${sides.in.isTheirs} end`;
}

/** What is known of a whole book before its payments are read. */
export interface BookIndex {
  readonly totals: readonly Total[];
  /** Of what its camt.054 has: payments that were accepted. */
  readonly entries: readonly Total[];
  /** Of its camt.054. */
  readonly pages: number;
  /** Where each page but the last one ends. */
  readonly ends: readonly BookPlace[];
}

interface IndexRow extends Total {
  /** The `number` of an end is its place in the slice. */
  readonly what: 'total' | 'end';
  readonly isReported: boolean;
  readonly at: string;
  readonly uetr: string;
}

/** Reads the whole book once. */
export async function readBookIndex(db: Db, book: Book, period: Period): Promise<BookIndex> {
  const totals: Total[] = [];
  const entries: Total[] = [];
  const ends: BookPlace[] = [];
  let before = 0; // entries of earlier slices
  for await (const slice of slicesOf(db, period, { after: undefined, upTo: undefined })) {
    const { rows } = await sql<IndexRow>`
      with moved as materialized (
        select b.side, p.corridor, d.status, ${atEnd(book, 'amount')} as amount, ${atEnd(book, 'currency')} as currency,
          ${isReported} as is_reported, d.decided_at, d.uetr
        ${movements(book, period, slice)}
      )
      select 'total' as what, is_reported as "isReported", side, corridor, status, count(*)::int as number,
        sum(amount)::text as sum, currency, null as at, null::uuid as uetr
      from moved group by is_reported, side, corridor, status, currency
      union all
      select 'end', true, side, null, null, nth::int, null, null, decided_at::text, uetr from (
        select decided_at, uetr, side, row_number() over (order by decided_at, uetr, side) as nth
        from moved where is_reported) m
      where (nth + ${before}) % ${sql.lit(entriesPerPage)} = 0
      order by what, number`.execute(db);
    for (const { what, isReported: isEntry, at, uetr, ...total } of rows) {
      if (what === 'end') {
        ends.push({ at, uetr, side: total.side });
        continue;
      }
      totals.push(total);
      if (!isEntry) continue;
      entries.push(total);
      before += total.number;
    }
  }
  const pages = Math.max(1, Math.ceil(before / entriesPerPage));
  return { totals: addUp(totals), entries: addUp(entries), pages, ends: ends.slice(0, pages - 1) };
}

/** What is read of a book. */
export interface BookReading {
  readonly book: Book;
  readonly period: Period;
  /** Whether the other side of the exchange, the quote and its provider are shown for what came in. */
  readonly seesAll: boolean;
  /** Only what a camt.054 has: payments that were accepted. */
  readonly isReported?: boolean;
  readonly after?: BookPlace | undefined;
  /** Up to the end of its decision, which may have a movement more. */
  readonly upTo?: BookPlace | undefined;
}

/** Its payments by the time of their decision, some thousand at once; there may be none among them. */
export async function* readMovements(
  db: Db,
  { book, period, seesAll, isReported: onlyReported = false, after, upTo }: BookReading,
): AsyncIterable<readonly (Movement & BookPlace)[]> {
  const seen = sql`(${seesAll}::boolean or b.side = 'out')`;
  for await (const slice of slicesOf(db, period, { after, upTo })) {
    const { rows } = await sql<Movement & BookPlace>`
      select p.uetr, d.decided_at::text as at, b.side, d.status, d.reason_code as "reasonCode",
        d.rule_id as "ruleId", d.decided_by as "decidedBy", d.decided_at as "decidedAt", p.corridor,
        (${atEnd(book, 'amount')})::text as amount, ${atEnd(book, 'currency')} as currency,
        case when ${seen} then ${atEnd(book, 'amount', 'other')} end::text as "counterAmount",
        case when ${seen} then ${atEnd(book, 'currency', 'other')} end as "counterCurrency",
        p.debtor_agent_id as "debtorAgentId", p.creditor_agent_id as "creditorAgentId",
        case when ${seen} then p.fxp_id end as "fxpId", case when ${seen} then p.quote_id end as "quoteId",
        (select m.message_identification from messages m where m.message_id = ${messageOf(book)}) as "messageIdentification",
        p.source_references -> 'original' ->> 'endToEndId' as "endToEndId"
      ${movements(book, period, slice)} ${onlyReported ? sql`and ${isReported}` : sql``}
      order by ${placeOf}`.execute(db);
    yield rows;
  }
}
