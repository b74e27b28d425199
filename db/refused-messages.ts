// What a party sent and what did not count (PAY-8, RES-4): kept byte for byte, because it may tell whether somebody
// credited, and shown to operators (OBS-5). It is no message of the payment, and nothing is decided by it.
import { createHash, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from './connection.ts';

export interface RefusedMessage {
  /** UETR of the payment, or id of the resolution, that it was about. */
  readonly subjectId: string;
  readonly party: string;
  /** Id of the message of ours that it answered; null: it came to our address. */
  readonly inReplyTo: string | null;
  readonly body: Buffer;
}

const mostPerSubject = 20; // a party may send something else each time

/** Once per subject and bytes, and no more than 20 of one subject. */
export async function keepRefused(
  db: Db,
  { subjectId, party, inReplyTo, body }: RefusedMessage,
): Promise<void> {
  const sha256 = createHash('sha256').update(body).digest();
  // unique (subject_id, sha256)
  await sql`
    insert into refused_messages (message_id, subject_id, party, in_reply_to, sha256, body)
    select ${randomUUID()}::uuid, ${subjectId}::uuid, ${party}, ${inReplyTo}::uuid, ${sha256}, ${body}
    where (select count(*) from refused_messages where subject_id = ${subjectId}) < ${sql.lit(mostPerSubject)}
    on conflict (subject_id, sha256) do nothing`.execute(db);
}

/** The bytes of one of those of a subject; undefined: there is none. */
export async function refusedBody(db: Db, subjectId: string, messageId: string): Promise<Buffer | undefined> {
  const { rows } = await sql<{ body: Buffer }>`
    select body from refused_messages
    where message_id = ${messageId}::uuid and subject_id = ${subjectId}::uuid`.execute(db); // primary key
  return rows[0]?.body;
}
