// A period of the books can be read when it is closed, by the database clock (REC-2).
import { closedAfterMs, type Period } from '../core/reconciliation.ts';
import type { Db } from '../db/connection.ts';
import { readNow } from '../db/reconciliation.ts';
import { problem, type Problem } from './http/problem.ts';

/** @returns why it cannot be read yet; undefined once it is closed */
export async function refuseOpenPeriod(db: Db, { to }: Period): Promise<Problem | undefined> {
  const closedAt = to.getTime() + closedAfterMs;
  if ((await readNow(db)).getTime() >= closedAt) return undefined;
  const detail = `It can be read from ${new Date(closedAt).toISOString()} on.`;
  return problem('period-not-closed', { detail });
}
