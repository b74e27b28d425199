// The public keys that parties gave at onboarding (ADM-1): by them a client shows that it is who it says (RFC 7523), and a
// message that it was sent by whom it says (SEC-1). Two operators have seen each of them (ADM-2).
import { sql } from 'kysely';
import type { Db } from './connection.ts';

export interface PartyKey {
  /** kid. */
  readonly keyId: string;
  /** RFC 7517, public part. */
  readonly jwk: Readonly<Record<string, unknown>>;
}

/** Of which party: of a payment system, the operator's. */
export type Party = { readonly institutionId: string } | { readonly clearingSystemId: string };

/**
 * Those that count at this moment. Of a payment system that has ended, too: it still says what became of the payments that it
 * was sent before (ADM-1), and has to sign that.
 */
export async function keysOfParty(db: Db, party: Party): Promise<readonly PartyKey[]> {
  const isTheirs =
    'institutionId' in party
      ? sql`institution_id = ${party.institutionId}`
      : sql`operator_id = (
          select operator_id from clearing_systems where clearing_system_id = ${party.clearingSystemId})`;
  const { rows } = await sql<PartyKey>`
    select key_id as "keyId", public_jwk as jwk from public_keys
    where ${isTheirs} and valid_from <= now() and (valid_until is null or valid_until > now())
    order by key_id`.execute(db);
  return rows;
}

/** Of a party whose keys end: nobody else notices before its messages, or its logins, are refused. */
export interface EndingKeys {
  /** A payment system or an institution. */
  readonly party: string;
  /** Until the last of its keys ends; 0: its messages have to be signed, and no key counts. */
  readonly secondsLeft: number;
}

export async function keysThatEnd(db: Db): Promise<readonly EndingKeys[]> {
  const { rows } = await sql<EndingKeys>`
    select party, case when counts then extract(epoch from least(ends, now() + interval '100 years') - now()) else 0 end::float8 as "secondsLeft"
    from (
      select clearing_system_id as party, signs_messages as "hasTo",
        coalesce(bool_or(valid_from <= now() and (valid_until is null or valid_until > now())), false) as counts,
        max(coalesce(valid_until, 'infinity')) as ends
      from clearing_systems s join operators using (operator_id) left join public_keys using (operator_id)
      where s.ended_at is null group by clearing_system_id, signs_messages
      union all
      select institution_id, false, bool_or(valid_from <= now() and (valid_until is null or valid_until > now())),
        max(coalesce(valid_until, 'infinity'))
      from public_keys where institution_id is not null group by institution_id
    ) parties
    where case when counts then ends < 'infinity' else "hasTo" end
    order by party`.execute(db);
  return rows;
}
