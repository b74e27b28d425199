// Since when somebody gets the books of a payment system or account, so that the first one is not left behind where it failed
// (REC-2). Forward only: a released migration is never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

const columns = `
alter table book_endpoints add column registered_at timestamptz not null default now();
alter table settlement_accounts add column registered_at timestamptz not null default now();
comment on column book_endpoints.registered_at is 'When; the first book is that of the day before (REC-2).';
comment on column settlement_accounts.registered_at is 'When; its first book is that of the day before (REC-2).';`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(columns).execute(db);
}
