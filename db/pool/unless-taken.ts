// Runs a write that may lose a race for a unique key: the database's keys are the authority on duplicates.
import pg from 'pg';
import { ok, refused, type Result } from '../../core/result.ts';

/** What was written, or that another submission took one of its keys first, which undoes the whole statement. */
export type Written<Row> = Result<Row, 'keys-taken'>;

const uniqueViolation = '23505';

/** @param write a statement that returns its row, or none where it found a key taken */
export async function unlessTaken<Row>(write: () => Promise<readonly Row[]>): Promise<Written<Row>> {
  try {
    const [row] = await write();
    return row === undefined ? refused('keys-taken') : ok(row);
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === uniqueViolation) return refused('keys-taken');
    throw error;
  }
}
