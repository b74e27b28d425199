// Which periods of the books are closed (REC-2). What was read as closed stays so: a decision is never written before it
// (decisions.ts), also where the database has meanwhile become another one whose clock is behind.
import { sql } from 'kysely';
import { closedAfterMs } from '../core/reconciliation.ts';
import type { Db } from './connection.ts';

/** The earliest time that a decision may have, for a statement. */
export const decidedNow = sql`greatest(now(), (select until from books_closed))`;

/**
 * Closes the books up to that time, unless it is too early for it.
 * @returns whether they are closed
 */
export async function closeBooks(db: Db, to: Date): Promise<boolean> {
  // the second part sees the row as it was before the first one
  const { rows } = await sql`
    with closing as (
      update books_closed set until = ${to}
      where until < ${to} and clock_timestamp() >= ${to}::timestamptz + ${sql.lit(closedAfterMs)} * interval '1 millisecond'
      returning until
    )
    select from closing union all select from books_closed where until >= ${to}`.execute(db);
  return rows.length > 0;
}
