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
): Promise<Client | Refusal | undefined> {
  const secrets = await db
    .selectFrom('client_secrets')
    .select(['algorithm', 'salt', 'digest', 'tag'])
    .where('client_id', '=', clientId)
    .where((row) => row.or([row('ends_at', 'is', null), row('ends_at', '>', sql<Date>`now()`)]))
    .execute(); // primary key
  const verdict = check.judge(secret, secrets);
  const isRight = typeof verdict === 'boolean' ? verdict : await inTurn(clientId, verdict);
  if (typeof isRight === 'object') return isRight;
  return isRight ? findClient(db, clientId) : undefined;
}

/** When a secret is tried that cannot be judged at once, which takes a processor for a while. */
export type InTurn<Refusal extends object> = (
  client: string,
  work: () => Promise<boolean>,
) => Promise<boolean | Refusal>;

/** All of them; a change of any makes new reference data, by which processes know to read again (REF-6, SEC-8). */
export async function readClients(db: Db): Promise<Client[]> {
  const rows = await db.selectFrom('clients').select(columns).where('ended_at', 'is', null).execute();
  return rows.map(clientFrom);
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
