// Gives new rates a UUID v7. New ids are close to each other in the index, so that inserts stay fast when the index is
// larger than memory (db/pool/row-ids.ts).
import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table rates alter column rate_id set default uuidv7()`.execute(db);
}
