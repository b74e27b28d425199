// Clients of the built-in token issuer (SEC-1). It must not answer a secret to anybody: only its hash is stored.
import type { Db } from './connection.ts';

export interface Client {
  readonly clientId: string;
  readonly secretSha256: Buffer;
  readonly role: string;
  readonly institutionId: string | null;
  readonly clearingSystemId: string | null;
}

export async function findClient(db: Db, clientId: string): Promise<Client | undefined> {
  const row = await db
    .selectFrom('clients')
    .select(['client_id', 'secret_sha256', 'role', 'institution_id', 'clearing_system_id'])
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  return row === undefined
    ? undefined
    : {
        clientId: row.client_id,
        secretSha256: row.secret_sha256,
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
  const demo = await db.selectFrom('clients').select('client_id').where('demo', '=', true).limit(1).execute();
  if (demo.length > 0) {
    throw new DemoClientsError(
      'Demo clients, whose secrets everybody knows, are in this database: it serves AUTH=builtin with DEMO=1 only. ' +
        'Use another database, or delete them: delete from clients where demo.',
    );
  }
}
