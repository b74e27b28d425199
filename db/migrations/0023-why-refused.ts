// What is wrong with each message that is kept and does not count, beside its bytes (PAY-8): its event may tell of several.
// Forward only: a released migration is never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `alter table refused_messages add column refused_as text, add column fault jsonb;
comment on column refused_messages.refused_as is 'Kind of the event that tells of it. Null: kept by a release before this column.';
comment on column refused_messages.fault is 'What is wrong with it: reason in words, ruleId, and the status that it reported; none of its own text. Null as above.';`,
    )
    .execute(db);
}
