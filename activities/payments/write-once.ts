// Writes one answer per submission of a payment or resolution. Judging and writing are one step. A repeat of
// a refused message gets the stored answer.
import type { AuditEvent } from '../../db/records/audit.ts';
import type { Db } from '../../db/pool/connection.ts';
import { recordRefusal, type OutgoingMessage } from '../../db/records/messages.ts';
import type { Written } from '../../db/pool/statements.ts';
import { failure } from '../failures.ts';

const maxTries = 3; // Each further try means that another submission with the same keys was written first.

/**
 * Judges and writes a submission, and retries if another submission took one of its keys first. The unique
 * keys of the database decide, so the next try judges by the new rows.
 * @throws an expected failure if other submissions kept taking the keys; the workflow then retries
 */
export async function untilWritten<Judgement>(
  judgeOnce: () => Promise<Written<Judgement>>,
): Promise<Judgement> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const attempt = await judgeOnce();
    if (attempt.ok) return attempt.value;
  }
  throw failure('KeysTaken', 'the keys of a submission kept changing hands');
}

/**
 * Refuses a repeat, only in the HTTP response.
 * @param compose builds the answer and its audit event; not called if this repeat was answered before
 * @returns the id of the stored answer
 */
export async function refuseOnce(
  db: Db,
  {
    messageId,
    earlierAnswerId,
  }: { readonly messageId: string; readonly earlierAnswerId: string | undefined },
  compose: () => Promise<{ readonly answer: OutgoingMessage; readonly event: AuditEvent | null }>,
): Promise<string> {
  return earlierAnswerId ?? recordRefusal(db, messageId, await compose());
}
