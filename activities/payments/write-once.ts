// How a submission, of a payment or a resolution, is answered once: it is judged and written as one step, and its repeats
// are refused always by the same message.
import type { AuditEvent } from '../../db/records/audit.ts';
import type { Db } from '../../db/pool/connection.ts';
import { recordRefusal, type OutgoingMessage } from '../../db/records/messages.ts';
import type { Written } from '../../db/pool/unless-taken.ts';
import { failure } from '../failures.ts';

const maxTries = 3; // each further try means that another submission with the same keys was written first

/**
 * Judges and writes a submission, and starts again if another took one of its keys before it was written: the
 * database's unique keys are the authority, so the next try judges by what is on record by then.
 * @throws an expected failure, after which the workflow tries again, when the keys kept being taken
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
 * Refuses a repeat, in the HTTP answer only.
 * @param compose makes the answer, with what a person must know of it; not called where one was given before
 * @returns the id of the answer that stands
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
