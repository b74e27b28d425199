// Keeps the time up to which the books are closed.
// - No decision gets a time before the end of the closed books (decisions.ts). So a closed book stays closed,
//   even after a failover to a database whose clock is behind.
// - A period is closed only if it has also ended by the current database clock, because that clock may have
//   run ahead before.
// - A period is not closed if the database clock is too far ahead of this process's clock. Otherwise a clock
//   that is weeks ahead for a moment would give decisions future times for weeks.
import { sql } from 'kysely';
import { closedAfterMs } from '../../core/books/reconciliation.ts';
import type { Db } from '../pool/connection.ts';
import { isThere } from '../pool/statements.ts';
import { ClocksApart } from '../pool/failures.ts';

/** SQL for the time of a new decision: now, but not before the end of the closed books. */
export const decidedNow = sql`greatest(now(), (select until from books_closed))`;

/**
 * Largest accepted difference between two clocks. Synchronized clocks differ by less than a second. A faulty
 * clock, as in the chaos runs, is off by a minute or two.
 */
const clocksApartMs = 300_000;

/**
 * Closes the books up to `to`, unless it is too early to do so.
 * @returns whether the books are closed up to `to`
 * @throws ClocksApart if the database clock is too far ahead of this process's clock
 */
export async function closeBooks(db: Db, to: Date): Promise<boolean> {
  const isOver = sql`clock_timestamp() >= ${to}::timestamptz + ${sql.lit(closedAfterMs)} * interval '1 millisecond'`;
  if (Date.now() < to.getTime() + closedAfterMs - clocksApartMs) {
    const { rows } = await sql`select where ${isOver}`.execute(db);
    if (rows.length === 0) return false;
    throw new ClocksApart(
      `the database clock is past ${to.toISOString()}, but the clock of this process is far behind it: nothing is closed`,
    );
  }
  await sql`update books_closed set until = ${to} where until < ${to} and ${isOver}`.execute(db);
  // in a separate statement: if another process closed the same period meanwhile, only a new snapshot shows it
  return isThere(db, sql`select from books_closed where until >= ${to} and ${isOver}`);
}

/** Returns the clock that is ahead of the other by more than the tolerance; undefined: the clocks agree. */
export function clockAhead(ofDatabase: Date): 'worker' | 'database' | undefined {
  const aheadMs = ofDatabase.getTime() - Date.now();
  if (Math.abs(aheadMs) <= clocksApartMs) return undefined;
  return aheadMs > 0 ? 'database' : 'worker';
}

/** The time up to which the books are closed, if it is further in the future than a failover can explain. */
export async function closedAhead(db: Db): Promise<Date | undefined> {
  const { rows } = await sql<{ until: Date }>`
    select until from books_closed
    where until > clock_timestamp() + ${sql.lit(clocksApartMs)} * interval '1 millisecond'`.execute(db);
  return rows[0]?.until;
}

export interface PassedAhead {
  readonly sap: string;
  readonly account: string;
  /** Former owner of the account. Until `until`, the account's books still belong to this owner. */
  readonly owner: string;
  readonly until: Date;
}

/**
 * Lists accounts that changed owner while a clock ran days ahead. The former owner keeps the books of those
 * days.
 */
export async function passedAhead(db: Db): Promise<readonly PassedAhead[]> {
  // an account changes hands at the end of a day: today's, or the last closed one if that is later
  const latest = sql`greatest(clock_timestamp(), (select until from books_closed)) + interval '1 day'`;
  const { rows } = await sql<PassedAhead>`
    select sap_id as sap, account_id as account, owner_id as owner, max(owned_until) as until
    from former_account_owners where owned_until > ${latest} + ${sql.lit(clocksApartMs)} * interval '1 millisecond'
    group by 1, 2, 3 order by 1, 2, 3`.execute(db);
  return rows;
}
