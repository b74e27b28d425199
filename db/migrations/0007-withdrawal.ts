// Every process learns within a second that a client or a signing key was changed or withdrawn (SEC-8, ADM-4), the way
// it learns of reference data (REF-6). Forward only: a released migration is never edited; what it got wrong, a later
// one mends.
import { sql, type Kysely } from 'kysely';

const watched = ['clients', 'issuer_keys'];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of watched) {
    await sql
      .raw(
        `create trigger ${table}_changed after insert or update or delete or truncate on ${table} ` +
          'for each statement execute function notify_reference_data();',
      )
      .execute(db);
  }
}
