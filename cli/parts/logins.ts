// api and worker log in with separate database roles (SEC-6). On our Postgres, each start sets a new password, which
// only the process gets. On an external Postgres, its administrator creates the logins.
import { randomBytes } from 'node:crypto';
import type { DatabaseRole } from '../../db/migrations/rights.ts';
import { withClient } from './postgres.ts';

/** Database URL for each process. */
export interface ProcessLogins {
  readonly api: string;
  readonly worker: string;
}

/**
 * @param databaseUrl superuser's URL of our own server, after the migrations have created the roles
 * @throws if the database fails
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
