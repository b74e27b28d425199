// An assertion of a client counts once (RFC 7523, 3): which have been used is on record until they would have ended.
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '../pool/connection.ts';

/** Whether it still counts is judged by the clock of an api, which may be behind that of the database. */
const keptAfter = '1 hour';

const digestOf = (jti: string) => createHash('sha256').update(jti).digest();

/** @returns false: it has been used before, here or at another api */
export async function useAssertion(
  db: Db,
  { clientId, jti, endsAtMs }: { readonly clientId: string; readonly jti: string; readonly endsAtMs: number },
): Promise<boolean> {
  const { rows } = await sql`
    with gone as (
      delete from used_assertions where (client_id, jti_sha256) in (
        select client_id, jti_sha256 from used_assertions where ends_at < now() - ${sql.lit(keptAfter)}::interval
        limit 100 for update skip locked)) -- nobody waits for who removes the same ones
    insert into used_assertions (client_id, jti_sha256, ends_at)
    values (${clientId}, ${digestOf(jti)}, ${new Date(endsAtMs)}) on conflict do nothing
    returning client_id`.execute(db);
  return rows.length === 1;
}
