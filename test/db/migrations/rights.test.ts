// The database is asked, as each role of the application, for what it must not do (SEC-6).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, describe, expect, it, test } from 'vitest';
import { makeLogins } from '../../../cli/parts/logins.ts';
import { startPostgres, withClient } from '../../../cli/parts/postgres.ts';
import { connect, type Db } from '../../../db/pool/connection.ts';
import { migrate } from '../../../db/migrations/migrate.ts';
import type { DatabaseRole } from '../../../db/migrations/rights.ts';
import { testDatabase } from '../../harness/database.ts';

const database = await testDatabase();
const logins = await makeLogins(database.url);
const open = (url: string): Db => {
  const db = connect(url, { applicationName: 'isthmus-test-rights', maxConnections: 1 });
  afterAll(() => db.destroy());
  return db;
};
const owner = open(database.url);
const as: Readonly<Record<DatabaseRole, Db>> = {
  isthmus_api: open(logins.api),
  isthmus_worker: open(logins.worker),
  isthmus_readonly: open(database.as('isthmus_readonly')),
};
const roles = Object.keys(as) as DatabaseRole[];
/** SQLSTATE; undefined: it was allowed. */
const refusalOf = (db: Db, statement: string) =>
  sql
    .raw(statement)
    .execute(db)
    .then(
      () => undefined,
      (error: unknown) => (error as { code?: string }).code,
    );
const insufficientPrivilege = '42501';

/** Written once, and never changed or removed by anybody who runs the service. */
const records = [
  'messages',
  'payments',
  'decisions',
  'audit_events',
  'refused_messages',
  'refusals',
  'resolutions',
  'resolution_answers',
  'case_entries',
  'callback_addresses',
  'book_pages',
  'logged_alerts',
];

describe.each(roles)('as %s', (role) => {
  it.each(records)('no row of %s can be changed, removed or locked', async (table) => {
    const { rows } = await sql<{ column: string }>`
      select attname as column from pg_attribute where attrelid = ${table}::regclass and attnum > 0 and attidentity = '' limit 1`.execute(
      owner,
    );
    const column = rows[0]?.column ?? '';
    for (const statement of [
      `update ${table} set ${column} = ${column}`,
      `delete from ${table}`,
      `truncate ${table}`,
      `select from ${table} for update`,
      `alter table ${table} disable trigger user`,
      `drop table ${table} cascade`,
      `grant update on ${table} to ${role}`,
    ]) {
      const code = await refusalOf(as[role], statement);
      // whoever may not grant is warned, and nothing is granted
      if (!statement.startsWith('grant'))
        expect({ statement, code }).toEqual({ statement, code: insufficientPrivilege });
    }
    expect(await refusalOf(as[role], `update ${table} set ${column} = ${column}`)).toBe(
      insufficientPrivilege,
    );
  });

  it.each([
    'create table mine (id int)',
    'create role mine',
    'alter role isthmus_api superuser',
    'create function mine() returns int language sql as $$ select 1 $$',
    'set session_replication_role = replica',
    'alter table rates owner to isthmus_api',
    'select * from pg_authid',
    'copy messages to program $$cat$$',
  ])('%s: refused', async (statement) => {
    expect(await refusalOf(as[role], statement)).toBe(insufficientPrivilege);
  });
});

const notFor: readonly [role: DatabaseRole, statements: readonly string[]][] = [
  [
    'isthmus_api',
    [
      // only the worker judges and decides
      `insert into decisions (uetr, status, decided_by) values (gen_random_uuid(), 'ACCC', 'gateway')`,
      `insert into payments (uetr) values (gen_random_uuid())`,
      'update delivery_attempts set outcome = null',
      'delete from quote_uses',
      'delete from deliveries',
      'delete from rates',
      'update quote_requests set fxp_ids = fxp_ids',
      'set role isthmus_worker',
    ],
  ],
  [
    'isthmus_worker',
    [
      'select * from clients',
      'select * from issuer_keys',
      'select * from idempotency_keys',
      'update rates set fxp_id = fxp_id',
      'update operators set endpoint_url = endpoint_url',
      'update settlement_accounts set owner_id = owner_id',
      'update recorded_outcomes set status = status',
      'insert into quote_requests (quote_request_id) values (gen_random_uuid())',
      `select make_partition('quote_requests', '2030-01-01')`,
      `select drop_quote_partition('2000-01-01')`,
      'set role isthmus_api',
    ],
  ],
  [
    'isthmus_readonly',
    [
      'select * from clients',
      'select * from issuer_keys',
      'select * from idempotency_keys',
      'insert into rates default values',
      'update deliveries set url = url',
      `insert into leases (name, holder, held_until) values ('sweep', 'me', now())`,
      `select callback_address(gen_random_uuid())`,
      `select make_partition('quote_requests', '2030-01-01')`,
    ],
  ],
];
describe.each(notFor)('what others do is not for %s', (role, statements) => {
  it.each(statements)('%s', async (statement) => {
    expect(await refusalOf(as[role], statement)).toBe(insufficientPrivilege);
  });
});

test('quotes of a day that are kept cannot be dropped by whoever drops old ones', async () => {
  const today = new Date().toISOString().slice(0, 10);
  await expect(sql`select drop_quote_partition(${today}::date)`.execute(as.isthmus_api)).rejects.toThrow(
    'are kept for 62 days (QUO-10)',
  );
});

test('every table is named for somebody, so that a new one is not forgotten', async () => {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class c
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname not like 'kysely%'
      and not exists (select from aclexplode(relacl) a where a.grantee = 'isthmus_api'::regrole)`.execute(
    owner,
  );
  expect(rows).toEqual([]);
});

test('a right that somebody added by hand is gone with the next migration', async () => {
  await sql`grant delete on messages to isthmus_api`.execute(owner);
  await migrate(database.url);
  expect(await refusalOf(as.isthmus_api, 'delete from messages')).toBe(insufficientPrivilege);
});

test('several may migrate at once, on databases of the same server', async () => {
  const outcomes = await Promise.all(Array.from({ length: 4 }, () => migrate(database.url)));
  expect(outcomes.map(({ applied }) => applied)).toEqual([[], [], [], []]);
});

test('whoever may not make roles is told what to run; once they are there, it migrates without that right', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-rights-'));
  const server = await startPostgres({ env: {}, folder, database: 'isthmus', say: () => undefined });
  try {
    const url = new URL(server.url);
    [url.username, url.password] = ['scheme', 'secret'];
    await withClient(server.url, (client) =>
      client.query(`create role scheme login password 'secret'; alter database isthmus owner to scheme`),
    );
    await expect(migrate(url.href)).rejects.toThrow(
      'The database role isthmus_api is missing, and the login of DATABASE_URL may not make it. Give that login CREATEROLE, ' +
        'or have an administrator run: create role isthmus_api; create role isthmus_worker; create role isthmus_readonly; ' +
        'Then start again.',
    );
    await withClient(server.url, (client) =>
      client.query('create role isthmus_api; create role isthmus_worker; create role isthmus_readonly'),
    );
    expect(await migrate(url.href)).toEqual({ applied: [], newer: [] });
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
