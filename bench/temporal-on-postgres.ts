// Starts the Temporal server of production (`--engine postgres`): on Postgres, with the shards and the dynamic
// config of docker-compose.yml. The development server has one shard, on SQLite.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { reasonOf, UserError } from '../cli/errors.ts';
import { startChild, untilUp, type Child } from '../cli/parts/child.ts';
import { withClient } from '../cli/parts/postgres.ts';
import { freePort } from '../cli/parts/ports.ts';
import { secondsSince, type Say } from '../cli/parts/progress.ts';
import type { RunningTemporal } from '../cli/parts/temporal.ts';
import { searchAttributes } from '../contract/ids.ts';
import type { Environment } from '../core/settings/environment-variables.ts';
import type { ThrowawayPlace } from '../cli/throwaway.ts';

const version = 'v1.32.0'; // as in docker-compose.yml

export interface TemporalOnPostgresOptions {
  readonly place: ThrowawayPlace;
  /** URL of the Postgres server. */
  readonly postgresUrl: string;
  readonly namespace: string;
  /** Address at which workers reach the server, if not on loopback. */
  readonly address?: string | undefined;
  readonly say: Say;
}

/** The two programs, by their environment variable and their name on the PATH. */
export interface TemporalPrograms {
  readonly server: string;
  readonly sqlTool: string;
}

/**
 * Finds the programs of the Temporal server.
 * @throws UserError that says how to build them
 */
export function findTemporalPrograms(env: Environment): TemporalPrograms {
  return {
    server: find(env, 'TEMPORAL_SERVER', 'temporal-server'),
    sqlTool: find(env, 'TEMPORAL_SQL_TOOL', 'temporal-sql-tool'),
  };
}

function find(env: Environment, variable: string, name: string): string {
  const named = env[variable];
  const onPath = (env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name));
  const found = (named === undefined || named === '' ? onPath : [named]).find(isExecutable);
  if (found !== undefined) return found;
  throw new UserError(
    [
      `--engine postgres needs ${name}: put it on the PATH, or set ${variable} to its path. Go builds both programs:`,
      `  go install go.temporal.io/server/cmd/server@${version}      (TEMPORAL_SERVER: ~/go/bin/server)`,
      `  go install go.temporal.io/server/cmd/tools/sql@${version}   (TEMPORAL_SQL_TOOL: ~/go/bin/sql)`,
      'The SQL tool contains the schema.',
    ].join('\n'),
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns a running server with the namespace and the search attributes. */
export async function startTemporalOnPostgres(options: TemporalOnPostgresOptions): Promise<RunningTemporal> {
  const { place, postgresUrl, namespace, say } = options;
  const programs = findTemporalPrograms(place.env);
  const started = performance.now();
  const drop = () => dropDatabases(postgresUrl);
  place.atEnd(drop);
  await drop();
  makeSchema(programs.sqlTool, postgresUrl);
  const logFile = join(place.folder, 'temporal.log');
  const port = await freePort();
  const child = await startServer(programs.server, { ...options, port, logFile });
  const address = `${options.address ?? '127.0.0.1'}:${port}`;
  place.atEnd(() => child.stop());
  await untilUp(child, () => isUp(address), {
    logFile,
    says: 'The Temporal server on Postgres did not start',
    advice: 'Fix what its log reports',
  });
  await prepareNamespace(address, namespace);
  say(`✓ Temporal on Postgres on ${address} (${secondsSince(started)})`);
  return { address, pid: child.pid, logFile, exited: child.exited, stop: () => child.stop() };
}

const attributes = Object.values(searchAttributes);
// names of the benchmark alone: the server may have the databases of a Temporal in use
const databases = {
  temporal: 'isthmus_bench_temporal',
  visibility: 'isthmus_bench_temporal_visibility',
} as const;

const dropDatabases = (postgresUrl: string) =>
  withClient(postgresUrl, async (client) => {
    for (const name of Object.values(databases))
      await client.query(`drop database if exists ${name} with (force)`);
  });

/** Creates both databases, as docker/temporal-schema.sh does. */
function makeSchema(sqlTool: string, postgresUrl: string): void {
  const { hostname, port, username, password } = new URL(postgresUrl);
  for (const [schema, database] of Object.entries(databases)) {
    const env = {
      SQL_PLUGIN: 'postgres12_pgx',
      SQL_HOST: hostname,
      SQL_PORT: port,
      SQL_USER: username,
      SQL_PASSWORD: password,
      SQL_DATABASE: database,
    };
    for (const args of [
      ['create', '--defaultdb', 'postgres'],
      ['setup-schema', '--version', '0.0'],
      ['update-schema', '--schema-name', `postgresql/v12/${schema}`],
    ]) {
      const { status, stdout, stderr } = spawnSync(sqlTool, args, { env, encoding: 'utf8' });
      if (status !== 0)
        throw new UserError(`${sqlTool} ${args.join(' ')} failed for ${database}:\n${stdout}${stderr}`);
    }
  }
}

async function startServer(
  server: string,
  options: TemporalOnPostgresOptions & { readonly port: number; readonly logFile: string },
): Promise<Child> {
  const { hostname, port, username, password } = new URL(options.postgresUrl);
  const parts = ['FRONTEND', 'HISTORY', 'MATCHING', 'WORKER'];
  const ports: Record<string, string> = { FRONTEND_HTTP_PORT: String(await freePort()) };
  for (const part of parts) {
    ports[`${part}_GRPC_PORT`] = String(part === 'FRONTEND' ? options.port : await freePort());
    ports[`${part}_MEMBERSHIP_PORT`] = String(await freePort());
  }
  return startChild({
    command: server,
    args: ['--allow-no-auth', 'start'],
    cwd: options.place.folder,
    env: {
      ...ports,
      DB: 'postgres12_pgx',
      DB_PORT: port,
      POSTGRES_SEEDS: hostname,
      POSTGRES_USER: username,
      POSTGRES_PWD: password,
      DBNAME: databases.temporal,
      VISIBILITY_DBNAME: databases.visibility,
      NUM_HISTORY_SHARDS: '16',
      BIND_ON_IP: options.address === undefined ? '127.0.0.1' : '0.0.0.0',
      TEMPORAL_BROADCAST_ADDRESS: '127.0.0.1',
      LOG_LEVEL: 'warn',
      DYNAMIC_CONFIG_FILE_PATH: join(import.meta.dirname, '..', 'docker', 'temporal-dynamic-config.yaml'),
      GOGC: '800',
    },
    logFile: options.logFile,
    stopSignal: 'SIGTERM',
  });
}

async function isUp(address: string): Promise<boolean> {
  try {
    const connection = await Connection.connect({ address, connectTimeout: '2 s' });
    await connection.close();
    return true;
  } catch {
    return false;
  }
}

/** Creates the namespace and its search attributes, as docker/temporal-namespace.sh does. */
async function prepareNamespace(address: string, namespace: string): Promise<void> {
  const connection = await Connection.connect({ address });
  const { operatorService, workflowService } = connection;
  const workflowExecutionRetentionPeriod = { seconds: retentionSeconds as never }; // the type asks for a Long
  try {
    await untilKnown(() =>
      workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod }),
    );
    await untilKnown(async () => {
      const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
      const missing = attributes.filter(({ name }) => !(name in customAttributes));
      if (missing.length === 0) return;
      const added = Object.fromEntries(missing.map(({ name }) => [name, keyword]));
      await operatorService.addSearchAttributes({ namespace, searchAttributes: added });
      throw new Error('the search attributes are not known yet');
    });
  } finally {
    await connection.close();
  }
}

const keyword = 2; // INDEXED_VALUE_TYPE_KEYWORD
const retentionSeconds = 86_400;
const knownWithinMs = 60_000; // a new server needs some seconds until it knows its parts and its namespaces

async function untilKnown(work: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + knownWithinMs;
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (performance.now() > deadline)
        throw new UserError(`The Temporal server on Postgres is not usable: ${reasonOf(error)}`);
      await delay(500);
    }
  }
}
