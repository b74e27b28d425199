// Starts, heals and stops the whole system under test, with the same parts as production: Postgres, Temporal,
// two apis and two workers. The sandbox plays the parties, each behind a fault proxy. The faults themselves
// are in chaos/faults.
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import type * as Bundling from '../../cli/bundle-workflows.mjs';
import { entries } from '../../cli/entries.mjs';
import { buildImage } from '../../cli/image.ts';
import { makeLogins } from '../../cli/parts/logins.ts';
import { freePort } from '../../cli/parts/ports.ts';
import type { Say } from '../../cli/parts/progress.ts';
import { supervise, type SupervisedProcess } from '../../cli/parts/supervisor.ts';
import type { Environment } from '../../core/settings/environment-variables.ts';
import { keySetPath } from '../../core/deliveries/webhook-signature.ts';
import { seed } from '../../db/seed.ts';
import { openSilentNameServer } from './name-server.ts';
import { names } from './names.ts';
import { createRandom } from '../load/random.ts';
import { openParties, type Parties } from './parties.ts';
import { answersOk } from '../../cli/parts/child.ts';
import { startOurProcess, until, type OurProcess } from './processes.ts';
import { startServers, type Servers } from './servers.ts';
import { openTrap, type Trap } from './trap.ts';

export interface ChaosSystem {
  readonly apis: readonly OurProcess[];
  readonly workers: readonly OurProcess[];
  readonly servers: Servers;
  readonly parties: Parties;
  readonly trap: Trap;
  /**
   * Runs one SQL statement on a separate connection that bypasses the proxies.
   * @throws while the database is stopped
   */
  query<Row extends object = object>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  readonly namespace: string;
  /**
   * Waits until no fault is active and every process is ready.
   * @throws after two minutes
   */
  untilHealthy(): Promise<void>;
  stop(): Promise<void>;
}

export interface StartSystemOptions {
  readonly env: Environment;
  /** Folder of the code under test. */
  readonly tree: string;
  /**
   * Root folder of this project. The sandbox, the oracle and the seed data always come from here, even if
   * `tree` differs.
   */
  readonly root: string;
  /** Folder of the servers' data and of the built files. It is deleted after the run. */
  readonly folder: string;
  readonly logFolder: string;
  readonly journalFolder: string;
  readonly binFolder: string;
  /** Seed of the random moods of the parties. */
  readonly seed: number;
  readonly say: Say;
}

// Time for a killed server to recover, and for the breaker in the gateway's Temporal client to close.
const healthTimeoutMs = 120_000;
const queryTimeoutMs = 20_000; // longer than any fault locks a table
const at = (port: number) => `http://127.0.0.1:${port}`;

type Ending = { stop(): Promise<void> } | { close(): Promise<void> };

/** Collects the parts that have started. `stop` ends them in reverse order. */
interface Ends {
  add<One extends Ending>(one: One): One;
  stop(): Promise<void>;
}

function openEnds(say: Say): Ends {
  const started: Ending[] = [];
  return {
    add: (one) => {
      started.push(one);
      return one;
    },
    stop: async () => {
      for (const one of started.splice(0).reverse()) {
        await ('stop' in one ? one.stop() : one.close()).catch((error: unknown) => say(`! ${String(error)}`));
      }
    },
  };
}

/** @throws the error of the part that did not start, after all started parts have stopped */
export async function startSystem(options: StartSystemOptions): Promise<ChaosSystem> {
  for (const one of [options.folder, options.logFolder, options.journalFolder]) {
    mkdirSync(one, { recursive: true });
  }
  const ends = openEnds(options.say);
  try {
    return await startAll(options, ends);
  } catch (error) {
    await ends.stop();
    throw error;
  }
}

async function startAll(options: StartSystemOptions, ends: Ends): Promise<ChaosSystem> {
  const { env, tree, folder, binFolder, say } = options;
  const building = buildTree(tree, join(folder, 'image'));
  building.catch(() => undefined); // the code that awaits `building` reports the error
  const ours: OurProcess[] = [];
  const onMoved = (server: 'database' | 'engine', address: string) =>
    ours.forEach((one) => one[server].retarget(address));
  const servers = ends.add(await startServers({ env, folder, binFolder, say, onMoved }));
  const trap = ends.add(await openTrap());
  const nameServer = ends.add(await openSilentNameServer());
  const ports = { source: await freePort(), destination: await freePort(), fxProvider: await freePort() };
  const { source, destination, fxProvider } = ports;
  const sandboxUrls = { source: at(source), destination: at(destination), fxProvider: at(fxProvider) };
  const parties = ends.add(await openParties(sandboxUrls, trap.url, createRandom(options.seed ^ 0x300d)));
  const dist = await building;
  say('✓ built as in production');

  await migrate(dist, servers.database().url);
  await seed(servers.database().url, parties.addresses);
  const query = queryOf(() => servers.database().url);
  await registerOrigins(query, parties);
  const logins = await makeLogins(servers.database().url);

  const apiPorts: [name: string, port: number][] = [];
  for (const name of names.apis) apiPorts.push([name, await freePort()]);
  const publicUrl = at(apiPorts[0]?.[1] ?? 0);
  ends.add(await startSandbox(options, { ports, publicUrl }));
  const common = {
    dist,
    temporalAddress: servers.engine().address,
    nameServer: nameServer.address,
    logFolder: options.logFolder,
    folder,
    say,
    env: gatewayEnvironment(env, publicUrl),
  };
  for (const [name, port] of apiPorts) {
    ours.push(await startOurProcess({ ...common, databaseUrl: logins.api, kind: 'api', name, port }));
  }
  for (const name of names.workers) {
    const port = await freePort();
    ours.push(await startOurProcess({ ...common, databaseUrl: logins.worker, kind: 'worker', name, port }));
  }
  ends.add({
    stop: async () => {
      await Promise.all(ours.map((one) => one.stop()));
    },
  });
  const apis = ours.filter((one) => one.kind === 'api');
  const workers = ours.filter((one) => one.kind === 'worker');
  const untilHealthy = () => untilAllReady({ apis, workers, sandboxUrl: sandboxUrls.fxProvider });
  await untilHealthy();
  say('✓ two apis, two workers and the parties');
  return { apis, workers, servers, parties, trap, query, namespace, untilHealthy, stop: () => ends.stop() };
}

/**
 * Builds the processes from `tree` in the same way as the container image, because built processes start in
 * half a second. `tree` may be a copy of the project with a deliberate mistake (chaos/mutants).
 */
export async function buildTree(tree: string, folder: string): Promise<string> {
  const { api, worker, migrate } = entries;
  const dist = await buildImage(tree, folder, { api, worker, migrate });
  const { bundleWorkflows } = (await import(
    pathToFileURL(join(tree, 'cli', 'bundle-workflows.mjs')).href
  )) as typeof Bundling;
  await bundleWorkflows(join(dist, 'workflow-bundle.js'));
  return dist;
}

interface SandboxPlace {
  readonly ports: { readonly source: number; readonly destination: number; readonly fxProvider: number };
  readonly publicUrl: string;
}

export function startSandbox(
  {
    env,
    root,
    logFolder,
    journalFolder,
    say,
  }: Pick<StartSystemOptions, 'env' | 'root' | 'logFolder' | 'journalFolder' | 'say'>,
  { ports, publicUrl }: SandboxPlace,
): Promise<SupervisedProcess> {
  return supervise({
    name: 'sandbox',
    args: ['--enable-source-maps', join(root, 'sandbox', 'main.ts')],
    env: {
      ...inherited(env),
      HOST: '127.0.0.1',
      SOURCE_PORT: String(ports.source),
      DESTINATION_PORT: String(ports.destination),
      FXP_PORT: String(ports.fxProvider),
      TOKEN_URL: `${publicUrl}/oauth/token`,
      GATEWAY_KEYS_URL: `${publicUrl}${keySetPath}`,
      JOURNAL_DIR: journalFolder,
    },
    logFile: join(logFolder, 'sandbox.log'),
    say,
  });
}

export function gatewayEnvironment(env: Environment, publicUrl: string): Readonly<Record<string, string>> {
  return {
    ...inherited(env),
    TEMPORAL_NAMESPACE: namespace,
    HOST: '127.0.0.1',
    PUBLIC_URL: publicUrl,
    AUTH: 'builtin',
    AUTH_ISSUER: publicUrl,
    AUTH_AUDIENCE: publicUrl,
    DEMO: '1',
    ALLOW_LOOPBACK_CALLBACKS: '1',
  };
}

export const namespace = 'default';

/** Uses the migrations of the tree under test, because they may contain the mistake. */
export async function migrate(dist: string, databaseUrl: string): Promise<void> {
  await promisify(execFile)(process.execPath, [join(dist, 'migrate.js')], {
    env: { DATABASE_URL: databaseUrl },
  });
}

/**
 * The seed allows callbacks to any loopback port, for demos. In a run, each operator gets only its own ports.
 */
async function registerOrigins(query: ChaosSystem['query'], parties: Parties): Promise<void> {
  await query('delete from operator_callback_origins');
  for (const [operatorId, origins] of parties.callbackOrigins) {
    for (const origin of origins) {
      await query('insert into operator_callback_origins (operator_id, origin) values ($1, $2)', [
        operatorId,
        origin,
      ]);
    }
  }
}

export function queryOf(url: () => string): ChaosSystem['query'] {
  return async <Row extends object>(sql: string, values: readonly unknown[] = []) => {
    const client = new pg.Client({
      connectionString: url(),
      application_name: 'chaos',
      connectionTimeoutMillis: 5_000,
      query_timeout: queryTimeoutMs,
    });
    client.on('error', () => undefined); // a fault may stop the database during the query
    await client.connect();
    try {
      return (await client.query<Row>(sql, [...values])).rows;
    } finally {
      void client.end().catch(() => undefined); // not awaited: the promise may never settle if the server dies
    }
  };
}

async function untilAllReady(all: {
  readonly apis: readonly OurProcess[];
  readonly workers: readonly OurProcess[];
  readonly sandboxUrl: string;
}): Promise<void> {
  await until('the sandbox answers', () => answersOk(`${all.sandboxUrl}/health`), healthTimeoutMs);
  for (const { name, url } of [...all.apis, ...all.workers]) {
    await until(`${name} is ready`, () => answersOk(`${url}/health/ready`), healthTimeoutMs);
  }
}

function inherited(env: Environment): Readonly<Record<string, string>> {
  const wanted = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG'];
  return Object.fromEntries(wanted.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
