// What stands behind an id that no payment was found under, for whoever must be told so: most of all that a payment is
// stored, not judged yet, and may still go out (PAY-2).
import { sql } from 'kysely';
import type { Db } from './connection.ts';

/**
 * `not-judged`: a submission waits to be judged, or was judged a moment ago. `refused`: all that came under it was refused
 * as a repeat (DUP-2). `other`: it is the id of a resolution, or of a page of a book.
 */
export type CameUnder = 'not-judged' | 'refused' | 'other' | 'nothing';

export async function whatCameUnder(db: Db, id: string): Promise<CameUnder> {
  const isSubmission = sql`m.direction = 'in' and m.message_type = 'pacs008'`;
  // index messages_subject_id; primary key of refusals
  const { rows } = await sql<{ came: CameUnder }>`
    select case
        when bool_or(${isSubmission} and r.message_id is null) then 'not-judged'
        when bool_or(${isSubmission}) then 'refused'
        when count(*) > 0 then 'other'
        else 'nothing' end as came
    from messages m left join refusals r on r.message_id = m.message_id
    where m.subject_id = ${id}::uuid`.execute(db);
  return rows[0]?.came ?? 'nothing';
}
