// Reads the answers to many submissions at once, for requests that wait for them. Read-only.
import { sql } from 'kysely';
import type { Db } from '../pool/connection.ts';
import { runPrepared } from '../pool/prepared.ts';

/** A submission that was judged. */
export interface JudgedSubmission {
  /** Id of the submission. */
  readonly messageId: string;
  /** The stored final pacs.002, the acmt.024, or the refusal of a repeat; null: there is none yet. */
  readonly answerMessageId: string | null;
}

/** Finds those of the submissions that were judged, in any order. */
export async function findAnswers(
  db: Db,
  messageIds: readonly string[],
): Promise<readonly JudgedSubmission[]> {
  // primary keys throughout; a payment that another message with the same UETR made does not count for this one
  const select = sql<JudgedSubmission>`
    select m.message_id as "messageId",
      coalesce(d.callback_message_id, a.answer_message_id, r.answer_message_id) as "answerMessageId"
    from messages m
    left join payments p on p.uetr = m.subject_id and p.message_id = m.message_id
    left join decisions d on d.uetr = p.uetr
    left join resolutions q on q.resolution_id = m.message_id
    left join resolution_answers a on a.resolution_id = q.resolution_id
    left join refusals r on r.message_id = m.message_id
    where m.message_id = any(${messageIds}::uuid[])
      and (p.uetr is not null or q.resolution_id is not null or r.message_id is not null)`;
  return runPrepared(db, 'find_answers', select);
}
