// A database of its own for each test file, a copy of the migrated and seeded template.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll } from 'vitest';
import { withClient } from '../../cli/parts/postgres.ts';
import type { DatabaseRole } from '../../db/migrations/rights.ts';
import { askFor } from './offers.ts';

export interface TestDatabase {
  /** postgres://user:password@host:port/database */
  readonly url: string;
  readonly name: string;
  /** The same with the rights of a role (SEC-6). */
  as(role: DatabaseRole): string;
}

const closingMs = 2_000; // a backend ends a moment after its client has gone

/**
 * Creates the database; call it at the top of a test file, before other hooks: `const database = await testDatabase()`.
 * After the file's own `afterAll` it is dropped, and the file fails when connections to it are still open.
 * @param content seeded: migrated and with the seed data; empty: without any table
 */
export async function testDatabase(content: 'seeded' | 'empty' = 'seeded'): Promise<TestDatabase> {
  const { serverUrl, template } = await askFor('database');
  const name = `isthmus_test_${randomUUID().replaceAll('-', '')}`;
  const from = content === 'seeded' ? template : 'template1';
  await withClient(serverUrl, (client) => client.query(`create database ${name} template ${from}`));
  afterAll(() => dropChecked(serverUrl, name));
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, name, as: (role) => withRole(url.href, role) };
}

/** Whoever logs in may be any role; from then on the connection has its rights only. */
export function withRole(databaseUrl: string, role: DatabaseRole): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('options', `-c role=${role}`);
  return url.href;
}

async function dropChecked(serverUrl: string, name: string): Promise<void> {
  await withClient(serverUrl, async (client) => {
    const deadline = Date.now() + closingMs;
    let open: readonly string[] = [];
    do {
      if (open.length > 0) await delay(20);
      const { rows } = await client.query<{ application_name: string; state: string; query: string }>(
        'select application_name, state, query from pg_stat_activity where datname = $1',
        [name],
      );
      open = rows.map((row) => `${row.application_name} (${row.state}): ${row.query}`);
    } while (open.length > 0 && Date.now() < deadline);
    await client.query(`drop database ${name} with (force)`);
    if (open.length > 0) throw new Error(`Connections left open by this test file:\n${open.join('\n')}`);
  });
}
