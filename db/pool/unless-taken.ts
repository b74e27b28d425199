// Runs a write that may lose a race for a unique key. The unique keys of the database decide about duplicates.
import pg from 'pg';
import { ok, refused, type Result } from '../../core/result.ts';

/** The row that was written; or that another submission took one of its keys first, so nothing was written. */
export type Written<Row> = Result<Row, 'keys-taken'>;

const uniqueViolation = '23505';

/** @param write a statement that returns its row, or no row if it found a key taken */
export async function unlessTaken<Row>(write: () => Promise<readonly Row[]>): Promise<Written<Row>> {
  try {
    const [row] = await write();
    return row === undefined ? refused('keys-taken') : ok(row);
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === uniqueViolation) return refused('keys-taken');
    throw error;
  }
}
