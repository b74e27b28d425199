// When a source first asked for a status that nobody has asked the destination for since (DUP-1): the sweep goes by it,
// because whoever asks again and again must not look as if they had only just begun (LIF-2). Forward only: a released
// migration is never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `alter table deliveries add column enquiry_owed_since timestamptz;
       comment on column deliveries.enquiry_owed_since is 'Of an instruction: when the source first asked for the status, of those questions that no send had met when the last one came (DUP-1).';`,
    )
    .execute(db);
}
