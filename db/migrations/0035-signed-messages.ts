// Operators of payment systems may want messages to be signed, theirs and ours (SEC-1). Forward only: a released migration is
// never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

const signed = `
alter table operators add column signs_messages boolean not null default false;
comment on column operators.signs_messages is 'Whether its messages count only with a signature by one of its keys, and ours to it have one (RFC 9421).';`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(signed).execute(db);
}
