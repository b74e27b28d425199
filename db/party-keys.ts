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

/** Those that count at this moment. */
export async function keysOfParty(db: Db, party: Party): Promise<readonly PartyKey[]> {
  const isTheirs =
    'institutionId' in party
      ? sql`institution_id = ${party.institutionId}`
      : sql`operator_id = (
          select operator_id from clearing_systems where clearing_system_id = ${party.clearingSystemId} and ended_at is null)`;
  const { rows } = await sql<PartyKey>`
    select key_id as "keyId", public_jwk as jwk from public_keys
    where ${isTheirs} and valid_from <= now() and (valid_until is null or valid_until > now())
    order by key_id`.execute(db);
  return rows;
}
