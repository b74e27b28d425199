// Clients of the built-in token issuer (SEC-1, ADM-4). It must not answer a secret to anybody: only its hash is stored.
import { sql, type Selectable } from 'kysely';
import type { Db } from './connection.ts';
import type { SecretCheck } from './scheme/secrets.ts';
import type { Database } from './tables.ts';

export interface Client {
  readonly clientId: string;
  readonly role: string;
  readonly institutionId: string | null;
  readonly clearingSystemId: string | null;
}

const columns = ['client_id', 'role', 'institution_id', 'clearing_system_id'] as const;

/** One that has shown who it is, and by what: a token counts no longer than that does (SEC-8). */
export interface LoggedIn extends Client {
  readonly credential: string;
}

/** As tokens have it. */
export const credentialOf = {
  secret: (secretId: string) => `secret ${secretId}`,
  key: (keyId: string) => `key ${keyId}`,
};

export async function findClient(db: Db, clientId: string): Promise<Client | undefined> {
  const row = await db
    .selectFrom('clients')
    .select(columns)
    .where('client_id', '=', clientId)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return row && clientFrom(row);
}

/** The client, if the secret is one of its own that counts. */
export async function authenticateClient<Refusal extends object>(
  db: Db,
  { check, inTurn }: { readonly check: SecretCheck; readonly inTurn: InTurn<Refusal> },
  { clientId, secret }: { readonly clientId: string; readonly secret: string },
): Promise<LoggedIn | Refusal | undefined> {
  const secrets = await db
    .selectFrom('client_secrets')
    .select(['secret_id', 'algorithm', 'salt', 'digest', 'tag'])
    .where('client_id', '=', clientId)
    .where((row) => row.or([row('ends_at', 'is', null), row('ends_at', '>', sql<Date>`now()`)]))
    .execute(); // primary key
  const verdict = check.judge(secret, secrets);
  const tried =
    typeof verdict === 'function'
      ? await inTurn(clientId, async () => ({ right: await verdict() }))
      : { right: verdict };
  if (!('right' in tried)) return tried;
  if (tried.right === undefined) return undefined;
  const client = await findClient(db, clientId);
  return client && { ...client, credential: credentialOf.secret(tried.right.secret_id) };
}

/** When a secret is tried that cannot be judged at once, which takes a processor for a while. */
export type InTurn<Refusal extends object> = <T>(
  client: string,
  work: () => Promise<T>,
) => Promise<T | Refusal>;

/** With what it may have logged in by. */
export interface ClientWithCredentials extends Client {
  readonly credentials: readonly string[];
}

/**
 * All of them, or one; a change of any, or of a secret or key, makes new reference data, by which processes know to read again
 * (REF-6, SEC-8).
 */
export async function readClients(db: Db, clientId?: string): Promise<readonly ClientWithCredentials[]> {
  const isMeant = clientId === undefined ? sql`true` : sql`c.client_id = ${clientId}`;
  const { rows } = await sql<ClientWithCredentials>`
    with secrets as (
      select client_id, array_agg('secret ' || secret_id) as ids from client_secrets
      where ends_at is null or ends_at > now() group by client_id),
    keys as (
      select institution_id, clearing_system_id, array_agg('key ' || key_id) as ids
      from public_keys left join clearing_systems using (operator_id)
      where valid_from <= now() and (valid_until is null or valid_until > now())
      group by institution_id, clearing_system_id)
    select client_id as "clientId", role, c.institution_id as "institutionId", c.clearing_system_id as "clearingSystemId",
      coalesce(secrets.ids, '{}') || coalesce(i.ids, s.ids, '{}') as credentials
    from clients c left join secrets using (client_id)
      left join keys i on i.institution_id = c.institution_id
      left join keys s on s.clearing_system_id = c.clearing_system_id
    where c.ended_at is null and ${isMeant}`.execute(db);
  return rows;
}

function clientFrom(row: Pick<Selectable<Database['clients']>, (typeof columns)[number]>): Client {
  return {
    clientId: row.client_id,
    role: row.role,
    institutionId: row.institution_id,
    clearingSystemId: row.clearing_system_id,
  };
}

/** Demo clients are in the database, although this is not the embedded default. */
class DemoClientsError extends Error {
  override readonly name = 'DemoClientsError';
}

/**
 * For every start but that of the embedded default (AUTH=builtin with DEMO=1): the demo clients' secrets are public.
 * @throws DemoClientsError when there are any
 */
export async function assertNoDemoClients(db: Db): Promise<void> {
  const demo = await db
    .selectFrom('clients')
    .select('client_id')
    .where('demo', '=', true)
    .where('ended_at', 'is', null)
    .limit(1)
    .execute();
  if (demo.length > 0) {
    throw new DemoClientsError(
      'Demo clients, whose secrets everybody knows, are in this database: it serves AUTH=builtin with DEMO=1 only. ' +
        'Use another database, or end them first, started with AUTH=builtin and DEMO=1: isthmus admin end clients <client id>.',
    );
  }
}
