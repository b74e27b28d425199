// The debtor agent of a rejected payment is on record from the moment of its rejection, so that whoever asks who may
// see it (SEC-1) reads no message again. It is not read out of the messages of earlier rejections: their payments are
// shown to the submitting system and to operators only. Forward only: a released migration is never edited; what it got
// wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      "comment on column payments.debtor_agent_id is 'Debtor agent. Of a rejected payment the one that it claims, if it is a " +
        "member of the submitting system; null there: none, or rejected by 0.1.0.';",
    )
    .execute(db);
}
