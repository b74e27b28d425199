// Rights that Postgres gives every login and that we revoke (SEC-6): to call our functions, to connect, and to make
// temporary tables.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, type Db } from '../../../db/pool/connection.ts';
import { migrate } from '../../../db/migrations/migrate.ts';
import { testDatabase } from '../../harness/database.ts';

const database = await testDatabase();
const stranger = `stranger_${randomUUID().slice(0, 8)}`;
const opened: Db[] = [];
function as(role?: string): Db {
  const url = new URL(database.url);
  if (role !== undefined) url.searchParams.set('options', `-c role=${role}`);
  const db = connect(url.href, { applicationName: 'isthmus-test-everybody', maxConnections: 1 });
  opened.push(db);
  return db;
}
const owner = as();
beforeAll(async () => {
  await sql.raw(`create role ${stranger}`).execute(owner);
  await migrate(database.url); // a copy of a database has its tables' rights, and not its own
});
afterAll(async () => {
  await sql.raw(`drop owned by ${stranger}; drop role ${stranger}`).execute(owner);
  await Promise.all(opened.map((db) => db.destroy()));
});

const everybody = ['isthmus_api', 'isthmus_worker', 'isthmus_readonly', stranger];

test('of our functions each role may call those that it needs, and everybody else none; a new one is closed, too', async () => {
  await sql`create function made_later() returns trigger language plpgsql as 'begin return null; end'`.execute(
    owner,
  );
  await sql`create procedure of_theirs() language sql as 'select 1'`.execute(owner); // no matter of ours
  await migrate(database.url);
  const { rows } = await sql<{ role: string; name: string }>`
    select role, p.oid::regprocedure::text as name from pg_proc p, unnest(${everybody}::text[]) as role
    where pronamespace = 'public'::regnamespace and prokind = 'f' and has_function_privilege(role, p.oid, 'execute')
    order by role, name`.execute(owner);
  const api = [
    'callback_address(uuid)',
    'drop_quote_partition(date)',
    'held_data_key(text)',
    'make_partition(text,date)',
  ];
  expect(rows).toEqual([
    ...api.map((name) => ({ role: 'isthmus_api', name })),
    ...['callback_address(uuid)', 'held_data_key(text)'].map((name) => ({ role: 'isthmus_worker', name })),
  ]);
  await sql`drop function made_later()`.execute(owner);
  await sql`drop procedure of_theirs()`.execute(owner);
});

test('each looks for tables in our schema first, and where the session says never', async () => {
  const { rows } = await sql<{ name: string }>`
    select oid::regprocedure::text as name from pg_proc
    where pronamespace = 'public'::regnamespace
      and 'search_path=public, pg_temp' <> all (coalesce(proconfig, '{}'))`.execute(owner);
  expect(rows).toEqual([]);
});

test('nobody who has no role of ours may connect, and nobody make a temporary table', async () => {
  const { rows } = await sql<{ role: string; connects: boolean; makes: boolean }>`
    select role, has_database_privilege(role, current_database(), 'connect') as connects,
      has_database_privilege(role, current_database(), 'temporary') as makes
    from unnest(${everybody}::text[]) as role`.execute(owner);
  expect(rows).toEqual(everybody.map((role) => ({ role, connects: role !== stranger, makes: false })));
});
