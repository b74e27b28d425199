// The Postgres of the demo and of the tests: an existing one, or our own PostgreSQL 18 server from npm, with all the
// durability settings of production. It must not know what a payment is.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Environment } from '../../core/settings/environment-variables.ts';
import { isDatabaseUrl } from '../../core/settings/setting-forms.ts';
import { reasonOf, UserError } from '../errors.ts';
import { startChild, untilUp, type Child } from './child.ts';
import { spawnGuarded } from './guard.mjs';
import { freePort, startOnFreePorts } from './ports.ts';
import { assertEmbeddedPostgres, postgresHome, type PostgresHome } from './postgres-home.ts';
import { secondsSince, type Say } from './progress.ts';

export interface StartPostgresOptions {
  readonly env: Environment;
  /** Data and log: `.isthmus`, or a separate folder for tests. The data is kept between starts. */
  readonly folder: string;
  /** Created if it is missing. */
  readonly database: string;
  /** If it is taken, another is chosen. Absent: any free port. */
  readonly preferredPort?: number;
  readonly say: Say;
}

export interface RunningPostgres {
  /** postgres://user:password@host:port/database */
  readonly url: string;
  /** The server's process; absent for an external server. */
  readonly pid?: number;
  readonly logFile?: string;
  /** The folder with the server's files. */
  readonly dataFolder?: string;
  /** Resolves when our own server has ended, for whatever reason. Never resolves for an external server. */
  readonly exited: Promise<string>;
  /** Stops our own server; does nothing for an external one. */
  stop(): Promise<void>;
}

export const defaultPostgresPort = 5432;

/**
 * Keeps values out of the server's log: parameters of statements, and rows and keys in errors. Errors are not logged at
 * all, because their text may contain values. The client gets them anyway.
 * @internal exported for tests
 */
export const noValuesInLog = {
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_min_messages: 'log',
} as const satisfies Record<string, string>;

/** All other settings are the server's defaults; fsync, synchronous_commit and full_page_writes stay on. */
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '', // off: a socket's path is limited to 107 characters, and a project's may be longer
  max_connections: '200', // api, worker, sandbox and two test files at once
  shared_buffers: '256MB',
  max_wal_size: '2GB', // keeps checkpoints out of benchmarks
  jit: 'off', // every query is short
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] %a %d ',
  log_min_duration_statement: '1000', // milliseconds; a slower statement is a defect
  ...noValuesInLog,
} as const satisfies Record<string, string>;

const superuser = 'isthmus';

/**
 * Returns a Postgres that accepts connections: that of `DATABASE_URL`, else our own.
 * The caller must own the folder (claim.ts).
 * @throws Error with the end of the log if our own server does not start within 60 s
 */
export async function startPostgres(options: StartPostgresOptions): Promise<RunningPostgres> {
  const existing = options.env['DATABASE_URL'];
  if (existing !== undefined && existing !== '') return useExisting(existing, options.say);
  assertEmbeddedPostgres();
  mkdirSync(options.folder, { recursive: true });
  const home = postgresHome(join(options.folder, 'postgres'));
  const started = performance.now();
  const data = join(home.folder, 'data');
  const logFile = join(options.folder, 'postgres.log');
  if (!existsSync(data)) await initialise(home, data);
  const written = readIn(data, 'PG_VERSION');
  if (written !== home.majorVersion) {
    throw new UserError(
      `${data} was written by PostgreSQL ${written}, but this is PostgreSQL ${home.majorVersion}. Start over with npm run reset, which removes that data.`,
    );
  }
  const password = readIn(home.folder, 'password');
  await clearPidFile(data);
  const { child, port, url } = await startOnFreePorts(
    () => startOnce(options, { home, data, logFile, password }),
    { name: 'Postgres', logFile, say: options.say },
  );
  options.say(`✓ Postgres ${home.majorVersion} on 127.0.0.1:${port} (${secondsSince(started)})`);
  return {
    url: url(options.database),
    pid: child.pid,
    logFile,
    dataFolder: data,
    exited: child.exited,
    stop: () => child.stop(),
  };
}

async function startOnce(
  options: StartPostgresOptions,
  at: { home: PostgresHome; data: string; logFile: string; password: string },
): Promise<{ child: Child; port: number; url: (database: string) => string }> {
  const { home, data, logFile, password } = at;
  const port = await freePort(options.preferredPort);
  const child = await startChild({
    command: home.postgres,
    cwd: data,
    args: [
      ...['-D', data, '-p', String(port)],
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    env: serverEnvironment,
    logFile,
    stopSignal: 'SIGINT', // fast shutdown: rolls back open transactions and disconnects clients
    killSignal: 'SIGQUIT', // Postgres ends its own processes immediately; kill -9 would orphan them
    user: home.user,
  });
  const url = (database: string) => `postgres://${superuser}:${password}@127.0.0.1:${port}/${database}`;
  try {
    await untilUp(child, () => accepts(url('postgres')), {
      logFile,
      says: 'Postgres did not start',
      advice: 'Fix what its log reports',
    });
    await ensureDatabase(url('postgres'), options.database);
  } catch (error) {
    await child.stop();
    throw error;
  }
  return { child, port, url };
}

const guardMs = 15_000; // how long parts/guard.mjs waits for the server of a killed demo to stop

/**
 * Postgres does not start while its pid file names a live process. That can be the server of a recently killed demo,
 * which its guard is stopping. After a crash of the machine, it can be an unrelated process with the same pid.
 */
async function clearPidFile(data: string): Promise<void> {
  const pidFile = join(data, 'postmaster.pid');
  const isServer = () =>
    existsSync(pidFile) && commandLine(Number.parseInt(readFileSync(pidFile, 'utf8'), 10)).includes(data);
  const deadline = performance.now() + guardMs;
  while (isServer() && performance.now() < deadline) await delay(100);
  if (!isServer()) rmSync(pidFile, { force: true });
}

/** Command line of a process; empty if there is none. */
function commandLine(pid: number): string {
  const path = `/proc/${pid}/cmdline`;
  if (existsSync('/proc/self')) return existsSync(path) ? readFileSync(path, 'utf8') : '';
  return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
}

const serverEnvironment = { LC_ALL: 'C', TZ: 'UTC' } as const;

/** @throws UserError if the file is missing, because the cluster is then incomplete */
function readIn(folder: string, name: string): string {
  const path = join(folder, name);
  if (existsSync(path)) return readFileSync(path, 'utf8').trim();
  throw new UserError(
    `${path} is missing, so the data beside it cannot be used. Start over with npm run reset, which removes that data.`,
  );
}

/** Creates a cluster atomically. It sorts by code point, the same on every machine. */
async function initialise(home: PostgresHome, data: string): Promise<void> {
  const unfinished = `${data}.new`;
  const passwordFile = join(home.folder, 'password');
  rmSync(unfinished, { recursive: true, force: true });
  writeFileSync(passwordFile, randomBytes(18).toString('base64url'), { mode: 0o600 });
  if (home.user !== undefined) chownSync(passwordFile, home.user.uid, home.user.gid);
  const said: string[] = [];
  const code = await new Promise<number>((resolve, reject) => {
    const child = spawnGuarded(
      home.initdb,
      [
        ...['--pgdata', unfinished, '--username', superuser, '--pwfile', passwordFile],
        ...[
          '--auth=scram-sha-256',
          '--encoding=UTF8',
          '--locale-provider=builtin',
          '--builtin-locale=C.UTF-8',
        ],
        ...['--locale=C', '--no-instructions'],
      ],
      { cwd: '/', env: serverEnvironment, stdio: ['ignore', 'pipe', 'pipe'], ...home.user },
      { stop: 'SIGTERM' }, // initdb then removes the files that it has made
    );
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => said.push(chunk.toString('utf8')));
    child.once('error', reject);
    child.once('close', (exitCode) => resolve(exitCode ?? 1));
  });
  if (code !== 0) {
    throw new UserError(
      `The embedded Postgres could not create its files (initdb exited with code ${code}). Fix what it reports, or set DATABASE_URL to a Postgres of your own:\n${said.join('').trimEnd()}`,
    );
  }
  renameSync(unfinished, data);
}

async function accepts(url: string): Promise<boolean> {
  try {
    await withClient(url, (client) => client.query('select 1'));
    return true;
  } catch {
    return false;
  }
}

async function ensureDatabase(url: string, database: string): Promise<void> {
  await withClient(url, async (client) => {
    const found = await client.query('select 1 from pg_database where datname = $1', [database]);
    if (found.rowCount === 0) await client.query(`create database ${client.escapeIdentifier(database)}`);
  });
}

/** Runs `use` on a separate connection. */
export async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined); // the query in flight reports it
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

const answerMs = 15_000; // a server that is slower than this is unusable
const leastPostgres = 16;

/**
 * Checks the database that a person named, before anything is started. It changes nothing there.
 * @throws UserError that names the host but never the password
 */
export async function checkDatabase(url: string): Promise<void> {
  const advice = 'Correct DATABASE_URL, or unset it to use the embedded Postgres.';
  if (!isDatabaseUrl(url) || !URL.canParse(url)) {
    throw new UserError(
      `DATABASE_URL must have the form postgres://user:password@host:port/database, with special characters percent-encoded. ${advice}`,
    );
  }
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: answerMs });
  client.on('error', () => undefined); // the query in flight reports it
  try {
    await client.connect();
    const { rows } = await client.query<{ version: string }>('show server_version_num');
    const major = Math.floor(Number(rows[0]?.version) / 10_000);
    if (major < leastPostgres) {
      throw new UserError(
        `DATABASE_URL points to Postgres ${major}; Isthmus needs ${leastPostgres} or newer. ${advice}`,
      );
    }
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(
      `DATABASE_URL points to a database at ${client.host}:${client.port} that cannot be used: ${reasonOf(error)}. ${advice}`,
      { cause: error },
    );
  } finally {
    client.end().catch(() => undefined); // it may never have connected
  }
}

async function useExisting(url: string, say: Say): Promise<RunningPostgres> {
  await checkDatabase(url);
  say('✓ Postgres of DATABASE_URL');
  return { url, exited: new Promise(() => undefined), stop: () => Promise.resolve() };
}
