// The public keys that parties gave at onboarding. They verify a client's assertion at login (RFC 7523), and the
// signature of a message. Two operators have approved each key.
import type { Db } from '../pool/connection.ts';
import { sql, type RawBuilder } from 'kysely';

/**
 * SQL for the credential of a secret: its id, and the start of a hash over its stored salt and digest.
 * @param row name or alias of `client_secrets` in the statement
 */
export const secretCredential = (row: string): RawBuilder<string> =>
  sql`'secret ' || ${sql.ref(`${row}.secret_id`)} || ' ' || left(encode(sha256(${sql.ref(`${row}.salt`)} || ${sql.ref(`${row}.digest`)}), 'hex'), 16)`;

/**
 * SQL for the credential of a public key: its id, and the start of a hash over the key.
 * @param row name or alias of `public_keys` in the statement
 */
export const keyCredential = (row: string): RawBuilder<string> =>
  sql`'key ' || ${sql.ref(`${row}.key_id`)} || ' ' || left(encode(sha256(convert_to(${sql.ref(`${row}.public_jwk`)}::text, 'UTF8')), 'hex'), 16)`;

export const keyCounts = (row: string): RawBuilder<boolean> =>
  sql`(${sql.ref(`${row}.valid_from`)} <= now() and (${sql.ref(`${row}.valid_until`)} is null or ${sql.ref(`${row}.valid_until`)} > now()))`;

export const secretCounts = (row: string): RawBuilder<boolean> =>
  sql`(${sql.ref(`${row}.ends_at`)} is null or ${sql.ref(`${row}.ends_at`)} > now())`;

export interface PartyKey {
  /** `kid` of the JWK. */
  readonly keyId: string;
  /** Public JWK (RFC 7517). */
  readonly jwk: Readonly<Record<string, unknown>>;
  /** The credential that a token carries if its client logged in with this key. */
  readonly credential: string;
}

/** The owner of the keys. The keys of a payment system belong to its operator. */
export type Party = { readonly institutionId: string } | { readonly clearingSystemId: string };

export const keysOfParty = async (db: Db, party: Party): Promise<readonly PartyKey[]> =>
  (await lastingKeysOfParty(db, party)).filter(({ counts }) => counts);

/**
 * Lists the keys that are valid now or later, including those of a payment system that has ended. Such a
 * system still signs reports on the payments that it received before.
 */
export async function lastingKeysOfParty(
  db: Db,
  party: Party,
): Promise<readonly (PartyKey & { readonly counts: boolean })[]> {
  const isTheirs =
    'institutionId' in party
      ? sql`institution_id = ${party.institutionId}`
      : sql`operator_id = (
          select operator_id from clearing_systems where clearing_system_id = ${party.clearingSystemId})`;
  const { rows } = await sql<PartyKey & { counts: boolean }>`
    select key_id as "keyId", public_jwk as jwk, ${keyCredential('k')} as credential, ${keyCounts('k')} as counts
    from public_keys k
    where ${isTheirs} and (valid_until is null or valid_until > now()) order by key_id`.execute(db);
  return rows;
}

/**
 * A party whose keys expire. Without this warning, the party would notice only when its messages or logins
 * are refused.
 */
export interface EndingKeys {
  /** A payment system or an institution. */
  readonly party: string;
  /**
   * Seconds until the party has no valid key. A successor counts if it begins without a gap. 0: the party has
   * no valid key now, although it must sign its messages or has a client without a secret.
   */
  readonly secondsLeft: number;
}

export async function keysThatEnd(db: Db): Promise<readonly EndingKeys[]> {
  const { rows } = await sql<EndingKeys>`
    with recursive parties as (
      select clearing_system_id as party, operator_id, null as institution_id, signs_messages as "hasTo"
      from clearing_systems s join operators using (operator_id) where s.ended_at is null
      union all
      select institution_id, null, institution_id, false from institutions where ended_at is null),
    keys as (
      select party, valid_from, coalesce(valid_until, 'infinity') as ends from parties join public_keys using (operator_id)
      union all
      select party, valid_from, coalesce(valid_until, 'infinity') from parties join public_keys using (institution_id)),
    reached as (
      select party, ends from keys where valid_from <= now() and ends > now()
      union
      select k.party, k.ends from keys k join reached r on k.party = r.party and k.valid_from <= r.ends and k.ends > r.ends),
    without_secret as (
      select coalesce(institution_id, clearing_system_id) as party from clients c
      where ended_at is null and coalesce(institution_id, clearing_system_id) is not null
        and not exists (select from client_secrets s where s.client_id = c.client_id and ${secretCounts('s')})),
    needed as (
      select party, "hasTo" or party in (select party from without_secret) as "isNeeded" from parties
      where "hasTo" or party in (select party from keys))
    select party, case when max(ends) is null then 0 else extract(epoch from max(ends) - now()) end::float8 as "secondsLeft"
    from needed left join reached using (party)
    group by party, "isNeeded"
    having max(ends) is null and "isNeeded" or max(ends) < 'infinity'
    order by party`.execute(db);
  return rows;
}
