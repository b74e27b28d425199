// Deliveries that have been due for longer than a healthy system lets anything be, which is 60 s: what the sweep looks
// for (LIF-2).
import type { Db } from '../../db/pool/connection.ts';

/** Makes those of a payment overdue; the caller adds which, and executes it. */
export const makeOverdue = (db: Db, subjectId: string) =>
  db
    .updateTable('deliveries')
    .set({ next_due_at: new Date(Date.now() - 61_000) })
    .where('subject_id', '=', subjectId);
