// api and worker log in as roles of their own (SEC-6): on a Postgres of ours with a new password at each start, which
// nobody but the process gets. A Postgres that a person gave us has the logins that its administrator made.
import { randomBytes } from 'node:crypto';
import type { DatabaseRole } from '../../db/migrations/rights.ts';
import { withClient } from './postgres.ts';

/** Addresses of the database by process. */
export interface ProcessLogins {
  readonly api: string;
  readonly worker: string;
}

/**
 * @param databaseUrl of a server of ours, as its superuser, after the migrations have made the roles
 * @throws when the database fails
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
