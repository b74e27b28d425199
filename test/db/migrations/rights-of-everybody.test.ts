// What Postgres gives every login of a server, and we do not (SEC-6): to call our functions or put them on a table of one's own,
// to connect, and to make temporary tables, by which the record's own checks could be made to read something else.
import { randomUUID } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPostgres, withClient } from '../../../cli/parts/postgres.ts';
import { openAlerts } from '../../../db/records/cases.ts';
import { connect, type Db } from '../../../db/pool/connection.ts';
import { migrate } from '../../../db/migrations/migrate.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

const refusalOf = (db: Db, statement: RawBuilder<unknown>) =>
  statement.execute(db).then(
    () => undefined,
    (error: unknown) => (error as { code?: string }).code,
  );
const insufficientPrivilege = '42501';
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

test.each(everybody)(
  '%s closes no alert by a trigger of its own, also where it may make temporary tables',
  async (role) => {
    const theirs = as(role);
    await sql`insert into audit_events (severity, kind, subject_id, detail)
      values ('alert', 'payment.contradiction', gen_random_uuid(), '{}')`.execute(owner);
    const before = await openAlerts(owner);
    expect(before).not.toEqual([]);
    await sql`grant temporary on database ${sql.id(database.name)} to public`.execute(owner);
    await sql`create temp table mine (audit_event_id bigint, audit_event_ids bigint[], case_entry_id bigint, action text,
      client_id text, at timestamptz)`.execute(theirs);
    for (const name of [
      'note_alert_states',
      'note_former_owner',
      'note_former_book_endpoint',
      'refuse_change',
    ])
      expect([
        name,
        await refusalOf(
          theirs,
          sql`create trigger ${sql.id(name)} after insert on mine for each row execute function public.${sql.id(name)}()`,
        ),
      ]).toEqual([name, insufficientPrivilege]);
    await sql`insert into mine select null, array(select audit_event_id from public.audit_events), 9223372036854775807, 'close',
      'nobody', now()`
      .execute(theirs)
      .catch(() => sql`insert into mine values (null, '{1}', 1, 'close', 'nobody', now())`.execute(theirs));
    expect(await openAlerts(owner)).toEqual(before);
    await migrate(database.url);
    expect(await refusalOf(theirs, sql`create temp table another (id int)`)).toBe(insufficientPrivilege);
  },
);

test('what the record checks it does not look for in a temporary table (LIF-1, ADM-2)', async () => {
  await sql`grant temporary on database ${sql.id(database.name)} to public`.execute(owner);
  const worker = as('isthmus_worker');
  const uetr = randomUUID();
  await sql`create temp table payments (uetr uuid, begun_at timestamptz, accepted boolean, priority text)`.execute(
    worker,
  );
  await sql`insert into pg_temp.payments values (${uetr}, '2026-11-28T10:00:00Z', true, 'NORM')`.execute(
    worker,
  );
  await expect(
    sql`insert into public.decisions (uetr, status, decided_by, report_message_id, begun_at, perhaps_seen)
      values (${uetr}, 'ACCC', 'destination', gen_random_uuid(), '2026-11-28T10:00:00Z', true)`.execute(
      worker,
    ),
  ).rejects.toThrow(/a decision without a payment/);

  const api = as('isthmus_api');
  const changeId = randomUUID();
  await sql`insert into scheme_changes (change_id, proposed_by, proposed_because, needs_approval)
    values (${changeId}, 'me', 'a test', true)`.execute(api);
  await sql`create temp table scheme_changes (change_id uuid, proposed_by text, needs_approval boolean, effective_at timestamptz)`.execute(
    api,
  );
  await sql`insert into pg_temp.scheme_changes values (${changeId}, 'me', false, null)`.execute(api);
  await expect(
    sql`insert into public.scheme_change_steps (change_id, step, done_by) values (${changeId}, 'applied', 'me')`.execute(
      api,
    ),
  ).rejects.toThrow(/approv/);
  await migrate(database.url);
});

test('a migrator that does not own the database says what its owner has to run, and says it no more once that is done', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-everybody-'));
  const server = await startPostgres({ env: {}, folder, database: 'isthmus', say: () => undefined });
  try {
    const url = new URL(server.url);
    [url.username, url.password] = ['scheme', 'secret'];
    await withClient(server.url, (client) =>
      client.query(`create role scheme login createrole password 'secret'; alter schema public owner to scheme;
        grant create on database isthmus to scheme`),
    );
    const said: string[] = [];
    const told = () => said.filter((line) => line.startsWith('every login of the server'));
    await migrate(url.href, (line) => said.push(line));
    expect(told()).toEqual([
      'every login of the server may connect to the database: have its owner run grant connect on database isthmus to ' +
        'scheme, isthmus_api, isthmus_worker, isthmus_readonly; revoke connect, temporary on database isthmus from public;',
    ]);
    await withClient(server.url, (client) => client.query((told()[0] ?? '').replace(/^.* run /, '')));
    said.length = 0;
    await migrate(url.href, (line) => said.push(line));
    expect(told()).toEqual([]);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
