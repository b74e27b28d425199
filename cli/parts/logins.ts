// Creates the database logins of api and worker, which have separate roles (SEC-6). On the embedded Postgres,
// each start sets new passwords. On an external Postgres, the administrator creates the logins.
import { randomBytes } from 'node:crypto';
import type { DatabaseRole } from '../../db/migrations/rights.ts';
import { withClient } from './postgres.ts';

/** The database URL of each process. */
export interface ProcessLogins {
  readonly api: string;
  readonly worker: string;
}

/**
 * @param databaseUrl superuser's URL of the embedded server. The migrations must have created the roles.
 * @throws Error if the database fails
 */
export async function makeLogins(databaseUrl: string): Promise<ProcessLogins> {
  return withClient(databaseUrl, async (client) => {
    const login = async (role: DatabaseRole): Promise<string> => {
      const url = new URL(databaseUrl);
      url.username = role;
      url.password = randomBytes(18).toString('base64url');
      const [name, password] = [client.escapeIdentifier(role), client.escapeLiteral(url.password)];
      await client.query(`alter role ${name} login password ${password}`);
      return url.href;
    };
    return { api: await login('isthmus_api'), worker: await login('isthmus_worker') };
  });
}
