// The books of a period are read by the time of the decision (REC-1, REC-2). Forward only: a released migration is never
// edited; what it got wrong, a later one mends.
import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('create index decisions_decided_at on decisions (decided_at, uetr);').execute(db);
}
