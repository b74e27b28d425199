// Reads the clients of the built-in token issuer. The database holds only the hash of a secret, so nobody can
// read a secret back.
import { sql } from 'kysely';
import type { Db } from '../pool/connection.ts';
import { isThere } from '../pool/statements.ts';
import { keyCounts, keyCredential, secretCounts, secretCredential } from './party-keys.ts';
import type { KeptSecret, SecretCheck } from '../scheme/secrets.ts';

export interface Client {
  readonly clientId: string;
  readonly role: string;
  readonly institutionId: string | null;
  readonly clearingSystemId: string | null;
}

/**
 * An authenticated client. `credential` names the secret or key that it used. Its token is valid no longer
 * than that secret or key.
 */
export interface LoggedIn extends Client {
  readonly credential: string;
}

export async function findClient(db: Db, clientId: string): Promise<Client | undefined> {
  return (await readClients(db, clientId))[0];
}

export async function authenticateClient<Refusal extends object>(
  db: Db,
  { check, inTurn }: { readonly check: SecretCheck; readonly inTurn: InTurn<Refusal> },
  { clientId, secret }: { readonly clientId: string; readonly secret: string },
): Promise<LoggedIn | Refusal | undefined> {
  const { rows: secrets } = await sql<KeptSecret & { credential: string }>`
    select algorithm, salt, digest, tag, ${secretCredential('client_secrets')} as credential from client_secrets
    where client_id = ${clientId} and ${secretCounts('client_secrets')}`.execute(db); // served by the primary key
  const verdict = check.judge(secret, secrets);
  const tried =
    typeof verdict === 'function'
      ? await inTurn(clientId, async () => ({ right: await verdict() }))
      : { right: verdict };
  if (!('right' in tried)) return tried;
  if (tried.right === undefined) return undefined;
  const client = await findClient(db, clientId);
  return client && { ...client, credential: tried.right.credential };
}

/**
 * Queues the check of a secret that needs the slow hash, because the hash keeps a processor busy. May refuse
 * instead.
 */
export type InTurn<Refusal extends object> = <T>(
  client: string,
  work: () => Promise<T>,
) => Promise<T | Refusal>;

export interface ClientWithCredentials extends Client {
  readonly credentials: readonly string[];
}

/**
 * Reads all clients, or one. Any change of a client, secret or key creates a new version of the reference
 * data.
 */
export async function readClients(db: Db, clientId?: string): Promise<readonly ClientWithCredentials[]> {
  const isMeant = clientId === undefined ? sql`true` : sql`c.client_id = ${clientId}`;
  const { rows } = await sql<ClientWithCredentials>`
    select client_id as "clientId", role, institution_id as "institutionId", clearing_system_id as "clearingSystemId",
      array(select ${secretCredential('s')} from client_secrets s
        where s.client_id = c.client_id and ${secretCounts('s')})
      || array(select ${keyCredential('k')} from public_keys k
        where k.institution_id = c.institution_id and ${keyCounts('k')})
      || array(select ${keyCredential('k')} from public_keys k join clearing_systems y on y.operator_id = k.operator_id
        where y.clearing_system_id = c.clearing_system_id and ${keyCounts('k')}) as credentials
    from clients c where ended_at is null and ${isMeant}`.execute(db); // served by the primary keys and indexes public_keys_*
  return rows;
}

/** Thrown if the database has demo clients, but this process does not run the demo. */
class DemoClientsError extends Error {
  override readonly name = 'DemoClientsError';
}

/**
 * Checks that the database has no demo clients, because their secrets are public. Every process calls it at
 * its start, except in the demo (AUTH=builtin with DEMO=1).
 * @throws DemoClientsError if there are demo clients
 */
export async function assertNoDemoClients(db: Db): Promise<void> {
  if (await isThere(db, sql`select from clients where demo and ended_at is null limit 1`)) {
    throw new DemoClientsError(
      'Demo clients, whose secrets everybody knows, are in this database: it serves AUTH=builtin with DEMO=1 only. ' +
        'Use another database, or end them first, started with AUTH=builtin and DEMO=1: isthmus admin end clients <client id>.',
    );
  }
}
