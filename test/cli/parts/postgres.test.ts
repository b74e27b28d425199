// The embedded Postgres keeps committed data over restarts and kills.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isAlive } from '../../harness/is-alive.ts';
import { postgresFolders, postgresHome } from '../../../cli/parts/postgres-home.ts';
import { startPostgres, withClient, type RunningPostgres } from '../../../cli/parts/postgres.ts';

// Only its owner may open such a folder. Run by root, this also tests that the server's user gets a folder elsewhere.
const folder = mkdtempSync(join(tmpdir(), 'isthmus-postgres-'));
const say = () => undefined;
const start = () => startPostgres({ env: {}, folder, database: 'isthmus', say });
const query = async (server: RunningPostgres, sql: string) =>
  withClient(server.url, async (client) => (await client.query<Record<string, string>>(sql)).rows);

afterAll(() => {
  for (const path of [folder, ...postgresFolders(join(folder, 'postgres'))])
    rmSync(path, { recursive: true, force: true });
});

describe('startPostgres', () => {
  it('keeps data over a restart and over a kill, and is not stopped by a stale pid file', async () => {
    const first = await start();
    await query(first, "create table kept as select 'before the restart' as moment");
    await first.stop();

    const data = join(postgresHome(join(folder, 'postgres')).folder, 'data');
    expect(existsSync(join(data, 'postmaster.pid'))).toBe(false);
    // After a crash the process id in the file may belong to another process: here, to this one.
    writeFileSync(join(data, 'postmaster.pid'), `${process.pid}\n${data}\n`);
    const second = await start();
    expect(await query(second, 'select * from kept')).toEqual([{ moment: 'before the restart' }]);
    await query(second, "insert into kept values ('before the kill')");
    process.kill(second.pid ?? 0, 'SIGKILL');
    expect(await second.exited).toBe('it was ended by SIGKILL');

    const third = await start();
    expect(await query(third, 'select * from kept')).toHaveLength(2);
    await third.stop();
    expect(isAlive(third.pid ?? 0)).toBe(false);
  });

  it('runs with every safety on, is version 18, and sorts by code point in UTF-8', async () => {
    const server = await start();
    const settings = await query(
      server,
      `select name, setting from pg_settings where name in
       ('fsync', 'synchronous_commit', 'full_page_writes', 'server_encoding', 'listen_addresses') order by name`,
    );
    expect(Object.fromEntries(settings.map((row) => [row['name'], row['setting']]))).toEqual({
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
      server_encoding: 'UTF8',
      listen_addresses: '127.0.0.1',
    });
    const [version] = await query(
      server,
      "select current_setting('server_version_num')::int / 10000 as major",
    );
    expect(version).toEqual({ major: 18 });
    const sorted = await query(server, "select x from unnest(array['b', 'a', 'B', 'é']) x order by x");
    expect(sorted.map((row) => row['x'])).toEqual(['B', 'a', 'b', 'é']);
    const wrong = server.url.replace(/:[^:@]+@/, ':wrong@');
    await expect(withClient(wrong, (client) => client.query('select 1'))).rejects.toThrow(
      'password authentication',
    );
    await server.stop();
  });

  it('writes no value that was asked with or stored into its log, however slow or wrong the statement (I-14)', async () => {
    const canary = 'CANARY Quetzalcoatl Tan';
    const server = await start();
    const ask = (sql: string, values: readonly unknown[] = []) =>
      withClient(server.url, (client) => client.query(sql, [...values])).catch((error: unknown) => error);
    await ask('create table people (name text primary key, age int check (age > 0))');
    await ask('insert into people values ($1, 1)', [canary]);
    await ask('select pg_sleep(1.01), $1::text, $2::bytea', [canary, Buffer.from(canary)]); // slow enough to be logged
    const wrong = await Promise.all([
      ask('select $1::uuid', [canary]), // the value stands in the message
      ask('select $1::json', [`{"name": ${canary}}`]), // in the context
      ask('insert into people values ($1, 0)', [canary]), // in the detail: the whole row
      ask('insert into people values ($1, 2)', [canary]), // in the detail: the key
      ask(`select 1 / 0, '${canary}'`), // in the statement
    ]);
    expect(wrong.map((error) => error instanceof Error)).toEqual([true, true, true, true, true]);
    await server.stop();
    const log = readFileSync(server.logFile ?? '', 'utf8');
    expect(log).toContain('select pg_sleep(1.01)'); // what was slow is told
    const forms = [canary, Buffer.from(canary).toString('hex'), canary.split(' ')[0] ?? ''];
    expect(forms.filter((form) => log.includes(form))).toEqual([]);
  });

  it('uses the server of DATABASE_URL as it is, and says so when it does not answer', async () => {
    const server = await start();
    const same = await startPostgres({
      env: { DATABASE_URL: server.url },
      folder: '/nowhere',
      database: 'x',
      say,
    });
    expect(same.url).toBe(server.url);
    await same.stop();
    expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }]); // not ours to stop
    await server.stop();
    const gone = startPostgres({ env: { DATABASE_URL: server.url }, folder: '/nowhere', database: 'x', say });
    await expect(gone).rejects.toThrow(
      /^DATABASE_URL points to a database at 127\.0\.0\.1:\d+ that cannot be used: connect ECONNREFUSED/,
    );
  });
});
