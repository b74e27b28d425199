// A data key that was lost may be put back beside the one that has followed it (SEC-3). Forward only: a released migration is
// never edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

const putBack = `
alter table data_keys drop constraint data_keys_month_key;
create index data_keys_month on data_keys (month);`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(putBack).execute(db);
}
