// Makes sure that a client's assertion is used only once (RFC 7523, 3). Stores used assertions until they
// would have expired.
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '../pool/connection.ts';
import { isThere } from '../pool/statements.ts';

/**
 * How long an assertion is kept after its expiry. An api judges expiry by its own clock, which may be behind
 * the database clock.
 */
const keptAfter = '1 hour';

const digestOf = (jti: string) => createHash('sha256').update(jti).digest();

/** @returns false if this or another api process has accepted the assertion before */
export function useAssertion(
  db: Db,
  { clientId, jti, endsAtMs }: { readonly clientId: string; readonly jti: string; readonly endsAtMs: number },
): Promise<boolean> {
  return isThere(
    db,
    sql`
    with gone as (
      delete from used_assertions where (client_id, jti_sha256) in (
        select client_id, jti_sha256 from used_assertions where ends_at < now() - ${sql.lit(keptAfter)}::interval
        limit 100 for update skip locked)) -- do not wait for another process that removes the same rows
    insert into used_assertions (client_id, jti_sha256, ends_at)
    values (${clientId}, ${digestOf(jti)}, ${new Date(endsAtMs)}) on conflict do nothing
    returning client_id`,
  );
}
