// Reads the books of a period. A payment belongs to the period of its decision (database clock, UTC). Reads
// the decisions of all parties in slices, so that neither memory use nor statement time grows with the
// period.
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
import type { Condition } from '../pool/statements.ts';
import type { Db } from '../pool/connection.ts';

/**
 * The position of a movement in a book, ordered by the time of the decision. A payment that enters and leaves
 * through the same account has two movements: `in` sorts before `out`.
 */
export interface BookPlace {
  /** Timestamp as text, to keep its microseconds. */
  readonly at: string;
  readonly uetr: string;
  readonly side: Side;
}

const placeOf = sql`d.decided_at, d.uetr, b.side`;
const lastSide: Side = 'out'; // sorts after 'in'

/**
 * For each side: the condition for the payments in the book, and the end of the payment at which to read the
 * amount. For an account, `in` is the source end, where its owner is paid. `out` is the destination end,
 * where its owner pays.
 */
function sidesOf(book: Book): {
  readonly [side in Side]: { readonly isTheirs: Condition; readonly end: End };
} {
  if (book.of === 'clearing-system') {
    const { clearingSystemId: id } = book; // a clearing system with several countries may be at both ends
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

/** SQL for the id of the pacs.008 that was exchanged at the book's end of the payment. */
function messageOf(book: Book): Condition {
  const of = (side: Side) =>
    sql.ref(sidesOf(book)[side].end === 'source' ? 'p.message_id' : 'p.forwarded_message_id');
  return sql`case b.side when 'out' then ${of('out')} else ${of('in')} end`;
}

/** SQL for a column of the payment: its value at the book's end, or at the other end. */
function atEnd(book: Book, column: 'amount' | 'currency', which: 'own' | 'other' = 'own'): Condition {
  const of = (side: Side) => {
    const { end } = sidesOf(book)[side];
    return sql.ref(`p.${which === 'own' ? end : otherEnd[end]}_${column}`);
  };
  return sql`case b.side when 'out' then ${of('out')} else ${of('in')} end`;
}

/** Only a payment that was accepted has known amounts and agents. */
const isReported = sql`p.accepted`;

/**
 * A part of a period: from after the position `after`, up to and including the decision of `upTo`. Undefined
 * means the beginning or the end of the period.
 */
interface Slice {
  readonly after: BookPlace | undefined;
  readonly upTo: BookPlace | undefined;
}

const decisionsAtOnce = 5_000; // reading that many takes about 50 ms

/**
 * Includes the decision of `after`, because its second movement may follow. Served by index
 * decisions_decided_at.
 */
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
    cross join lateral (select * from payments where uetr = d.uetr offset 0) p -- forces a look-up by primary key
    cross join (values ('out'), ('in')) as b (side)
    where ${isIn(period, slice)} and ${isBehind(slice.after)}
      and case b.side when 'out' then ${sides.out.isTheirs} else ${sides.in.isTheirs} end`;
}

/** Totals of a whole book and the last movement of each page, computed before the movements are read. */
export interface BookIndex {
  readonly totals: readonly Total[];
  /** Totals of the accepted payments. Only these appear in the camt.054. */
  readonly entries: readonly Total[];
  readonly pages: number;
  readonly ends: readonly BookPlace[];
}

interface IndexRow extends Total {
  /** A row of `end` marks the last movement of a page; its `number` is the position in the slice. */
  readonly what: 'total' | 'end';
  readonly isReported: boolean;
  readonly at: string;
  readonly uetr: string;
}

export async function readBookIndex(db: Db, book: Book, period: Period): Promise<BookIndex> {
  const totals: Total[] = [];
  const entries: Total[] = [];
  const ends: BookPlace[] = [];
  let before = 0; // number of entries in earlier slices
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

/** Selects the movements of a book to read, and the details to show. */
export interface BookReading {
  readonly book: Book;
  readonly period: Period;
  /** Whether incoming movements show the other side of the exchange, the quote and its provider. */
  readonly seesAll: boolean;
  /** Whether to read only accepted payments, as in a camt.054. */
  readonly isReported?: boolean;
  readonly after?: BookPlace | undefined;
  /** The last decision to read. Both of its movements are included. */
  readonly upTo?: BookPlace | undefined;
}

/**
 * Yields batches of movements, ordered by the time of the decision. A batch covers up to 5,000 decisions,
 * with at most two movements each. It may be empty.
 */
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
