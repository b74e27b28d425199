// Provides Postgres for the demo and the tests: an existing server, or the embedded PostgreSQL 18 server from
// npm. The embedded server has the durability settings of production. This file must not know what a payment
// is.
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
  /** Folder for data and log: `.isthmus`, or a separate folder for tests. The data is kept between starts. */
  readonly folder: string;
  /** Name of the database. It is created if it is missing. */
  readonly database: string;
  /** If this port is taken, another one is chosen. Default: any free port. */
  readonly preferredPort?: number;
  /** Further settings of the embedded server, or others in place of ours. */
  readonly furtherSettings?: Readonly<Record<string, string>>;
  readonly say: Say;
}

export interface RunningPostgres {
  /** Database URL: `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** Process id of the server; absent for an external server. */
  readonly pid?: number;
  readonly logFile?: string;
  /** The folder with the server's files. */
  readonly dataFolder?: string;
  /**
   * Resolves with a message when the embedded server has ended for any reason. Never resolves for an external
   * server.
   */
  readonly exited: Promise<string>;
  /** Stops the embedded server. Does nothing to an external server. */
  stop(): Promise<void>;
}

export const defaultPostgresPort = 5432;

/**
 * Server settings that keep data out of the server's log. Statement parameters are not logged. Errors are not
 * logged, because their text may contain rows and keys. The client still receives each error.
 * @internal exported for tests
 */
export const noValuesInLog = {
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_min_messages: 'log',
} as const satisfies Record<string, string>;

/**
 * The settings that differ from the server's defaults. fsync, synchronous_commit and full_page_writes stay
 * on.
 */
const settings = {
  listen_addresses: '127.0.0.1',
  // no Unix socket, because its path is limited to 107 characters and the project's path may be longer
  unix_socket_directories: '',
  max_connections: '200', // enough for api, worker, sandbox and two test files that run at the same time
  shared_buffers: '256MB',
  max_wal_size: '2GB', // large, so that no checkpoint disturbs a benchmark
  jit: 'off', // compiling costs more than it saves, because every query is short
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] %a %d ',
  log_min_duration_statement: '1000', // milliseconds; logs slower statements, because they indicate a defect
  ...noValuesInLog,
} as const satisfies Record<string, string>;

const superuser = 'isthmus';

/**
 * Returns a running Postgres: the server of `DATABASE_URL`, else the embedded server. The caller must have
 * claimed the folder (claim.ts).
 * @throws Error with the end of the log if the embedded server does not start within 60 s
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
      ...Object.entries({ ...settings, ...options.furtherSettings }).flatMap(([name, value]) => [
        '-c',
        `${name}=${value}`,
      ]),
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

const guardMs = 15_000; // the time that parts/guard.mjs gives the server of a killed demo to stop

/**
 * Waits until no server uses the data folder, then removes the pid file. Postgres does not start while that
 * file names a live process. The process can be the server of a recently killed demo, which the guard is
 * stopping. After a crash of the machine, it can be an unrelated process with the same pid.
 */
async function clearPidFile(data: string): Promise<void> {
  const pidFile = join(data, 'postmaster.pid');
  const isServer = () =>
    existsSync(pidFile) && commandLine(Number.parseInt(readFileSync(pidFile, 'utf8'), 10)).includes(data);
  const deadline = performance.now() + guardMs;
  while (isServer() && performance.now() < deadline) await delay(100);
  if (!isServer()) rmSync(pidFile, { force: true });
}

/** Returns the command line of a process, or an empty string if the process does not exist. */
function commandLine(pid: number): string {
  const path = `/proc/${pid}/cmdline`;
  if (existsSync('/proc/self')) return existsSync(path) ? readFileSync(path, 'utf8') : '';
  return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
}

const serverEnvironment = { LC_ALL: 'C', TZ: 'UTC' } as const;

/** @throws UserError if the file is missing, because the database cluster is then incomplete */
function readIn(folder: string, name: string): string {
  const path = join(folder, name);
  if (existsSync(path)) return readFileSync(path, 'utf8').trim();
  throw new UserError(
    `${path} is missing, so the data beside it cannot be used. Start over with npm run reset, which removes that data.`,
  );
}

/**
 * Creates a database cluster atomically. Text sorts by code point, so that the order is the same on every
 * machine.
 */
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
      { stop: 'SIGTERM' }, // on SIGTERM, initdb removes the files that it has created
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

/** Runs `use` on a new connection, then closes the connection. */
export async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined); // the running query reports the error
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

const answerMs = 15_000; // a server that answers later than this is unusable
const leastPostgres = 16;

/**
 * Checks the database of DATABASE_URL before any process starts. It does not change the database.
 * @throws UserError if the database is unusable; the message contains the host but never the password
 */
export async function checkDatabase(url: string): Promise<void> {
  const advice = 'Correct DATABASE_URL, or unset it to use the embedded Postgres.';
  if (!isDatabaseUrl(url) || !URL.canParse(url)) {
    throw new UserError(
      `DATABASE_URL must have the form postgres://user:password@host:port/database, with special characters percent-encoded. ${advice}`,
    );
  }
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: answerMs });
  client.on('error', () => undefined); // the running query reports the error
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
    client.end().catch(() => undefined); // an error here is harmless: the client may never have connected
  }
}

async function useExisting(url: string, say: Say): Promise<RunningPostgres> {
  await checkDatabase(url);
  say('✓ Postgres of DATABASE_URL');
  return { url, exited: new Promise(() => undefined), stop: () => Promise.resolve() };
}
