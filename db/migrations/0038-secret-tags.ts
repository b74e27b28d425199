// Secrets of ours are tried slowly only where their tag is right (SEC-7, ADM-4). Forward only: a released migration is never
// edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

const tags = `
alter table client_secrets add column tag bytea check (octet_length(tag) = 4);
comment on column client_secrets.tag is 'The first bytes of a quick digest of the salt and the secret, by which a wrong one is refused without the slow one; null: of a secret that was brought along, which may have too few bits for that, or of one from before there were tags.';`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(tags).execute(db);
}
