// Starts the system that the payment benchmarks measure: Postgres, Temporal, api, worker and sandbox as
// separate processes. They are built and started as in production. The database and Temporal's storage are
// new.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { bundleWorkflows } from '../cli/bundle-workflows.mjs';
import { entries } from '../cli/entries.mjs';
import { buildImage } from '../cli/image.ts';
import { startChild, tail, type Child } from '../cli/parts/child.ts';
import { freePort } from '../cli/parts/ports.ts';
import { startPostgres, type RunningPostgres } from '../cli/parts/postgres.ts';
import type { Say } from '../cli/parts/progress.ts';
import { startTemporal, type RunningTemporal } from '../cli/parts/temporal.ts';
import { searchAttributes } from '../contract/ids.ts';
import type { ThrowawayPlace } from '../cli/throwaway.ts';
import { prepareDatabase, useDatabase } from './database.ts';

export interface PaymentServices {
  readonly apiUrl: string;
  readonly databaseUrl: string;
  readonly temporal: { readonly address: string; readonly namespace: string };
  readonly pids: {
    readonly api: number;
    readonly worker: number;
    readonly sandbox: number;
    /** Process ids of the servers; undefined for an external server, whose CPU time cannot be read. */
    readonly temporal: number | undefined;
    readonly postgres: number | undefined;
  };
  /** Files of the floor: the bundled worker, the bundled workflow and the log. */
  readonly floor: { readonly workerFile: string; readonly workflowBundle: string; readonly logFile: string };
}

export interface StartServicesOptions {
  /** The throwaway folder of the benchmark. The end of the benchmark stops all processes. */
  readonly place: ThrowawayPlace;
  readonly say: Say;
  /** Whether to encrypt stored data and the payloads in Temporal (SEC-3). */
  readonly isSealed?: boolean;
  /** Additional settings of api and worker. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Whether to use and keep the database of DATABASE_URL, if it is set. Otherwise the database is a new one. */
  readonly keepsGiven?: boolean;
  /** Called with the URL of the database, before api and worker use it. */
  readonly onDatabase?: (databaseUrl: string) => Promise<unknown>;
}

const root = join(import.meta.dirname, '..');
const { env } = process;

export async function startPaymentServices(options: StartServicesOptions): Promise<PaymentServices> {
  const floor = await buildAll(options);
  const [postgres, temporal] = await startServers(options);
  const processes = await startProcesses(options, await prepare(postgres.url, options), temporal);
  options.say('');
  return {
    ...processes,
    pids: { ...processes.pids, temporal: temporal.pid, postgres: postgres.pid },
    floor,
  };
}

/**
 * Builds the processes as in the container image (cli/bundle.mjs, Dockerfile), and the worker of the floor in
 * the same way.
 */
async function buildAll({ place: { folder }, say }: StartServicesOptions): Promise<PaymentServices['floor']> {
  const { api, worker, sandbox } = entries;
  const processes = { api, worker, sandbox, 'floor-worker': 'bench/floor-worker.ts' };
  const dist = await buildImage(root, join(folder, 'image'), processes);
  await bundleWorkflows(join(dist, 'workflow-bundle.js'));
  const workflowBundle = join(dist, 'floor-bundle.js');
  await bundleWorkflows(workflowBundle, join(import.meta.dirname, 'floor-workflow.ts'));
  say('✓ built as in production');
  return { workerFile: join(dist, 'floor-worker.js'), workflowBundle, logFile: join(folder, 'floor.log') };
}

async function startServers({
  place,
  say,
}: StartServicesOptions): Promise<[RunningPostgres, RunningTemporal]> {
  const { env, folder, binFolder } = place;
  const postgres = await startPostgres({ env, folder, database: 'postgres', say });
  place.atEnd(() => postgres.stop());
  const temporal = await startTemporal({
    env,
    folder,
    binFolder,
    storage: 'file',
    searchAttributes: Object.values(searchAttributes),
    ui: false,
    say,
  });
  place.atEnd(() => temporal.stop());
  return [postgres, temporal];
}

async function prepare(serverUrl: string, { place, keepsGiven, onDatabase }: StartServicesOptions) {
  const sandboxPorts = { source: await freePort(), destination: await freePort(), fxp: await freePort() };
  const addresses = {
    operatorEndpointUrl: (operatorId: string) => `http://127.0.0.1:${sandboxPorts.destination}/${operatorId}`,
    fxpBaseUrl: (fxpBic: string) => `http://127.0.0.1:${sandboxPorts.fxp}/${fxpBic}`,
  };
  const isKept = keepsGiven === true && serverUrl === place.env['DATABASE_URL'];
  const databaseUrl = isKept
    ? await useDatabase(serverUrl, addresses)
    : await prepareDatabase(serverUrl, { database: 'isthmus_bench_payments', place, addresses });
  await onDatabase?.(databaseUrl);
  return { databaseUrl, sandboxPorts };
}

type Processes = Pick<PaymentServices, 'apiUrl' | 'databaseUrl' | 'temporal'> & {
  readonly pids: Record<'api' | 'worker' | 'sandbox', number>;
};

async function startProcesses(
  options: StartServicesOptions,
  { databaseUrl, sandboxPorts }: Awaited<ReturnType<typeof prepare>>,
  temporal: RunningTemporal,
): Promise<Processes> {
  const port = await freePort();
  const apiUrl = `http://127.0.0.1:${port}`;
  const namespace = env['TEMPORAL_NAMESPACE'] ?? 'default';
  const settings = {
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: namespace,
    PORT: String(port),
    PUBLIC_URL: apiUrl,
    AUTH: 'builtin',
    DEMO: '1',
    ALLOW_LOOPBACK_CALLBACKS: '1',
    LOG_LEVEL: 'info',
    // off, because Xerces uses a fifth of a CPU core at any payment rate if Java is installed
    XERCES_SHARE: '0',
    ...options.settings,
    ...(options.isSealed === true && { SEALING_KEYS: `bench:${randomBytes(32).toString('base64')}` }),
  };
  const start = async (name: string, says: string, environment: Readonly<Record<string, string>>) => {
    const child = await startEntry(options, name, environment);
    options.place.atEnd(() => child.stop());
    await untilSaid(child, join(options.place.folder, `${name}.log`), says);
    options.say(`✓ ${name}`);
    return child.pid;
  };
  const pids = {
    sandbox: await start('sandbox', 'listening', {
      SOURCE_PORT: String(sandboxPorts.source),
      DESTINATION_PORT: String(sandboxPorts.destination),
      FXP_PORT: String(sandboxPorts.fxp),
      TOKEN_URL: `${apiUrl}/oauth/token`,
      GATEWAY_KEYS_URL: 'none', // the sandbox checks no signatures, because only the gateway is measured
      VALIDATE: '0',
    }),
    api: await start('api', 'api is listening', settings),
    worker: await start('worker', 'worker is running', settings),
  };
  return { apiUrl, databaseUrl, temporal: { address: temporal.address, namespace }, pids };
}

function startEntry(
  { place: { folder } }: StartServicesOptions,
  name: string,
  environment: Readonly<Record<string, string>>,
): Promise<Child> {
  return startChild({
    command: process.execPath,
    args: ['--enable-source-maps', join(folder, 'image', 'dist', `${name}.js`)],
    env: { PATH: env['PATH'] ?? '', NODE_ENV: 'production', ...environment },
    logFile: join(folder, `${name}.log`),
    stopSignal: 'SIGTERM',
  });
}

const startTimeoutMs = 60_000; // enough for a busy machine

async function untilSaid(child: Child, logFile: string, words: string): Promise<void> {
  const deadline = performance.now() + startTimeoutMs;
  const ended = child.exited.then((how) => how);
  while (!readFileSync(logFile, 'utf8').includes(words)) {
    const how = await Promise.race([ended, delay(50)]);
    if (how === undefined && performance.now() < deadline) continue;
    throw new Error(`A process did not start: ${how ?? 'it said nothing'}.\n${tail(logFile)}`);
  }
}
