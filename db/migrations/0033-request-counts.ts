// What the apis tell each other of the requests that they have counted (SEC-7). Forward only: a released migration is never
// edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

const counts = `
create unlogged table request_counts (
  name text not null,
  minute int not null,
  count int not null,
  primary key (name, minute)
);
comment on table request_counts is 'Requests of this minute and the last, over all apis (SEC-7). Not logged: after a crash it is empty.';
comment on column request_counts.name is 'Client and route; of failed logins, a digest.';
comment on column request_counts.minute is 'Minutes since 1970.';
comment on column request_counts.count is 'How many.';`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(counts).execute(db);
}
