// Refuses to read the books of a period until the database's clock says that the period is closed.
import { closedAfterMs, type Period } from '../../core/books/reconciliation.ts';
import { closeBooks } from '../../db/books/closed-books.ts';
import type { Db } from '../../db/pool/connection.ts';
import { problem, type Problem } from '../http/problems/problem.ts';

/** @returns the reason why the period cannot be read yet; undefined once it is closed */
export async function refuseOpenPeriod(db: Db, { to }: Period): Promise<Problem | undefined> {
  if (await closeBooks(db, to)) return undefined;
  const closedAt = new Date(to.getTime() + closedAfterMs);
  return problem('period-not-closed', {
    detail: `The period can be read from ${closedAt.toISOString()} on.`,
  });
}
