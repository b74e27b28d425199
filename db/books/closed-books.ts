// Which periods of the books are closed. What was read as closed stays so: a decision is never written before
// it (decisions.ts), also where the database has meanwhile become another one whose clock is behind. What is not over
// by the clock of the database is not closed, whatever was written down when that clock was ahead; and that clock is
// not believed where it is ahead of this process's own by more than clocks go wrong: one look at a clock that ran weeks
// ahead would give decisions times of the future for weeks.
import { sql } from 'kysely';
import { closedAfterMs } from '../../core/books/reconciliation.ts';
import type { Db } from '../pool/connection.ts';
import { ClocksApart } from '../pool/failures.ts';

/** The earliest time that a decision may have, for a statement. */
export const decidedNow = sql`greatest(now(), (select until from books_closed))`;

/**
 * Clocks that are kept differ by less than a second; a fault of one, like those of the chaos runs, by a minute or two.
 */
const clocksApartMs = 300_000;

/**
 * Closes the books up to that time, unless it is too early for it.
 * @returns whether they are closed
 * @throws ClocksApart where the clock of the database cannot be believed
 */
export async function closeBooks(db: Db, to: Date): Promise<boolean> {
  const isOver = sql`clock_timestamp() >= ${to}::timestamptz + ${sql.lit(closedAfterMs)} * interval '1 millisecond'`;
  if (Date.now() < to.getTime() + closedAfterMs - clocksApartMs) {
    const { rows } = await sql`select where ${isOver}`.execute(db);
    if (rows.length === 0) return false;
    throw new ClocksApart(
      `the clock of the database is past ${to.toISOString()}, and that of this process far from it: nothing is closed`,
    );
  }
  await sql`update books_closed set until = ${to} where until < ${to} and ${isOver}`.execute(db);
  // a statement of its own: who waited for another that closed the same sees only here that it is closed
  const { rows } = await sql`select from books_closed where until >= ${to} and ${isOver}`.execute(db);
  return rows.length > 0;
}

/** Whose clock is so far ahead of the other one that neither can be believed; undefined: they agree. */
export function clockAhead(ofDatabase: Date): 'worker' | 'database' | undefined {
  const aheadMs = ofDatabase.getTime() - Date.now();
  if (Math.abs(aheadMs) <= clocksApartMs) return undefined;
  return aheadMs > 0 ? 'database' : 'worker';
}

/**
 * Until when books are closed, where that is so far beyond the present that no failover explains it; undefined: it is
 * not.
 */
export async function closedAhead(db: Db): Promise<Date | undefined> {
  const { rows } = await sql<{ until: Date }>`
    select until from books_closed
    where until > clock_timestamp() + ${sql.lit(clocksApartMs)} * interval '1 millisecond'`.execute(db);
  return rows[0]?.until;
}

export interface PassedAhead {
  readonly sap: string;
  readonly account: string;
  /** Whose the account's days are until then, though it is no longer theirs. */
  readonly owner: string;
  readonly until: Date;
}

/** Accounts that were given up while a clock ran days ahead: their days stay the former owner's until that time. */
export async function passedAhead(db: Db): Promise<readonly PassedAhead[]> {
  // an account passes at the end of the day; one that passes as books are closed, at the end of theirs
  const latest = sql`greatest(clock_timestamp(), (select until from books_closed)) + interval '1 day'`;
  const { rows } = await sql<PassedAhead>`
    select sap_id as sap, account_id as account, owner_id as owner, max(owned_until) as until
    from former_account_owners where owned_until > ${latest} + ${sql.lit(clocksApartMs)} * interval '1 millisecond'
    group by 1, 2, 3 order by 1, 2, 3`.execute(db);
  return rows;
}
