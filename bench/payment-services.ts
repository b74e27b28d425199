// Starts the system that the payment benchmarks measure: Postgres, Temporal, apis, workers and sandbox as
// separate processes. They are built and started as in production. The database and Temporal's storage are
// new.
import { randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { bundleWorkflows } from '../cli/bundle-workflows.mjs';
import { entries } from '../cli/entries.mjs';
import { buildImage } from '../cli/image.ts';
import { startChild, tail, type Child } from '../cli/parts/child.ts';
import { freePort } from '../cli/parts/ports.ts';
import { startPostgres, withClient, type RunningPostgres } from '../cli/parts/postgres.ts';
import type { Say } from '../cli/parts/progress.ts';
import { startTemporal, type RunningTemporal } from '../cli/parts/temporal.ts';
import { searchAttributes } from '../contract/ids.ts';
import type { ThrowawayPlace } from '../cli/throwaway.ts';
import { prepareDatabase, useDatabase } from './database.ts';
import { openNetwork, thisMachine, type Host, type Network } from './hosts.ts';
import { findTemporalPrograms, startTemporalOnPostgres } from './temporal-on-postgres.ts';

export interface PaymentServices {
  readonly apiUrl: string;
  /** Addresses of all apis, for the load generator. */
  readonly apiUrls: readonly string[];
  readonly databaseUrl: string;
  readonly temporal: { readonly address: string; readonly namespace: string };
  /** Process ids of each part, as they are now; none for an external server, whose CPU time cannot be read. */
  readonly processes: Readonly<Record<Part, readonly number[]>>;
  readonly isTemporalOnPostgres: boolean;
  /** Address that the load generator binds for callbacks. */
  readonly receiverAddress: string;
  readonly floorClientUrls: readonly string[];
  /** Starts a worker, and a worker of the floors beside it. With `onHosts`, both run on a new host. */
  readonly addWorker: () => Promise<StartedWorker>;
}

export interface StartedWorker {
  readonly host: Host;
  readonly pid: number;
}

const parts = ['api', 'worker', 'sandbox', 'Temporal', 'Postgres', 'floor-client', 'floor-worker'] as const;
type Part = (typeof parts)[number];

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
  /** Whether to start the floors too (floor/). */
  readonly withFloor?: boolean;
  /** Whether Temporal is the server of production on Postgres, instead of the development server. */
  readonly onPostgres?: boolean;
  /** Whether each api and worker gets a network namespace (hosts.ts). */
  readonly onHosts?: boolean;
  /** How many apis to start; default 1. */
  readonly apis?: number;
}

/** The processes that payments keep busy, with the load generator, by part. */
export function processesOfPayments({
  processes,
}: PaymentServices): Readonly<Record<string, readonly number[]>> {
  const { api, worker, Temporal, Postgres, sandbox } = processes;
  return { api, worker, Temporal, Postgres, sandbox, 'load generator': [process.pid] };
}

const root = join(import.meta.dirname, '..');
const { env } = process;
const namespace = env['TEMPORAL_NAMESPACE'] || 'default';

export async function startPaymentServices(options: StartServicesOptions): Promise<PaymentServices> {
  if (options.onPostgres === true) findTemporalPrograms(options.place.env); // a missing program ends this early
  const network = options.onHosts === true ? openNetwork(options.place) : undefined;
  const dist = await buildAll(options);
  const [postgres, temporal] = await startServers(options, network);
  const { databaseUrl, ...prepared } = await prepare(postgres.url, options);
  const system = new Map<Part, number[]>(parts.map((part) => [part, []]));
  if (temporal.pid !== undefined) system.set('Temporal', [temporal.pid]);
  if (postgres.pid !== undefined) system.set('Postgres', [postgres.pid]);
  const started = await startProcesses({
    ...{ options, network, dist, system, ...prepared },
    databaseUrl: network === undefined ? databaseUrl : onHost(databaseUrl, network.address),
    temporalAddress: temporal.address,
  });
  options.say('');
  return {
    ...started,
    databaseUrl,
    temporal: { address: temporal.address, namespace },
    get processes() {
      return Object.fromEntries(system) as Record<Part, number[]>;
    },
    isTemporalOnPostgres: options.onPostgres === true,
    receiverAddress: network?.address ?? thisMachine.address,
  };
}

function onHost(url: string, address: string): string {
  const moved = new URL(url);
  moved.hostname = address;
  return moved.href;
}

/**
 * Builds the processes as in the container image (cli/bundle.mjs, Dockerfile), and those of the floors in the
 * same way.
 * @returns the folder of the built files
 */
async function buildAll({ place: { folder }, say, withFloor }: StartServicesOptions): Promise<string> {
  const { api, worker, sandbox } = entries;
  const floors = { 'floor-worker': 'bench/floor/worker.ts', 'floor-client': 'bench/floor/client.ts' };
  const processes = { api, worker, sandbox, ...(withFloor === true && floors) };
  const dist = await buildImage(root, join(folder, 'image'), processes);
  await bundleWorkflows(join(dist, 'workflow-bundle.js'));
  if (withFloor === true) {
    const bundle = join(dist, 'floor-bundle.js');
    await bundleWorkflows(bundle, join(import.meta.dirname, 'floor', 'workflows.ts'), { isTraced: false });
  }
  say('✓ built as in production');
  return dist;
}

async function startServers(
  { place, say, onPostgres }: StartServicesOptions,
  network: Network | undefined,
): Promise<[RunningPostgres, RunningTemporal]> {
  const { env, folder, binFolder } = place;
  const postgres = await startPostgres({
    ...{ env, folder, database: 'postgres', say },
    furtherSettings: {
      ...(onPostgres === true && { max_connections: '400' }), // Temporal opens up to 120
      ...(network && { listen_addresses: `127.0.0.1,${network.address}` }),
    },
  });
  place.atEnd(() => postgres.stop());
  if (network !== undefined && postgres.dataFolder !== undefined) {
    const line = `host all all ${network.range} scram-sha-256\n`;
    appendFileSync(join(postgres.dataFolder, 'pg_hba.conf'), line);
    await withClient(postgres.url, (client) => client.query('select pg_reload_conf()'));
  }
  const temporal =
    onPostgres === true
      ? await startTemporalOnPostgres({
          ...{ place, say, namespace, postgresUrl: postgres.url },
          address: network?.address,
        })
      : await startTemporal({
          ...{ env, folder, binFolder, storage: 'file', ui: false, say },
          searchAttributes: Object.values(searchAttributes),
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

interface Ground {
  readonly options: StartServicesOptions;
  readonly network: Network | undefined;
  readonly dist: string;
  /** Where a started process leaves its id. */
  readonly system: Map<Part, number[]>;
  readonly sandboxPorts: { readonly source: number; readonly destination: number; readonly fxp: number };
  readonly databaseUrl: string;
  readonly temporalAddress: string;
}

async function startProcesses(
  ground: Ground,
): Promise<Pick<PaymentServices, 'apiUrl' | 'apiUrls' | 'floorClientUrls' | 'addWorker'>> {
  const { options, network, sandboxPorts } = ground;
  const parties = newHost(ground);
  const apis: { readonly host: Host; readonly port: number }[] = [];
  for (let n = 0; n < (options.apis ?? 1); n += 1) {
    apis.push({ host: newHost(ground, parties), port: await freePort() });
  }
  const [first = { host: thisMachine, port: 0 }] = apis;
  // tokens and messages name the first api for all, and loopback, because demos may be on loopback only
  const publicUrl = `http://127.0.0.1:${first.port}`;
  parties.redirect(first.host.address, first.port);
  const settings = settingsOf(ground, publicUrl);
  await startOn(ground, parties, {
    ...{ part: 'sandbox', says: 'listening' },
    env: {
      HOST: parties.binds,
      SOURCE_PORT: String(sandboxPorts.source),
      DESTINATION_PORT: String(sandboxPorts.destination),
      FXP_PORT: String(sandboxPorts.fxp),
      TOKEN_URL: `${publicUrl}/oauth/token`,
      GATEWAY_KEYS_URL: 'none', // the sandbox checks no signatures, because only the gateway is measured
      VALIDATE: '0',
    },
  });
  for (const { host, port } of apis) {
    const env = {
      ...settings,
      PORT: String(port),
      HOST: host.binds,
      ...(network && { ALLOW_DEMO_ON_NETWORK: '1' }),
    };
    await startOn(ground, host, { part: 'api', says: 'api is listening', env });
  }
  const addWorker = async () => {
    const host = newHost(ground, parties);
    if (options.withFloor === true) await startFloorWorker(ground, host);
    const pid = await startOn(ground, host, { part: 'worker', says: 'worker is running', env: settings });
    return { host, pid };
  };
  await addWorker();
  const floorClientUrls: string[] = [];
  for (const { host } of options.withFloor === true ? apis : [])
    floorClientUrls.push(await startFloorClient(ground, host));
  const apiUrls = apis.map(({ host, port }) => `http://${host.address}:${port}`);
  return { apiUrl: apiUrls[0] ?? '', apiUrls, floorClientUrls, addWorker };
}

/** On a host of their own, processes find the parties and this machine on their loopback. */
function newHost({ network, sandboxPorts }: Ground, parties?: Host): Host {
  const host = network?.addHost();
  if (host === undefined || network === undefined) return thisMachine;
  if (parties === undefined) return host;
  for (const port of Object.values(sandboxPorts)) host.redirect(parties.address, port);
  host.redirect(network.address);
  return host;
}

function settingsOf({ options, databaseUrl, temporalAddress }: Ground, publicUrl: string) {
  return {
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_NAMESPACE: namespace,
    PUBLIC_URL: publicUrl,
    AUTH: 'builtin',
    DEMO: '1',
    ALLOW_LOOPBACK_CALLBACKS: '1',
    LOG_LEVEL: 'info',
    // off, because Xerces uses a fifth of a CPU core at any payment rate if Java is installed
    XERCES_SHARE: '0',
    ...options.settings,
    ...(options.isSealed === true && { SEALING_KEYS: `bench:${randomBytes(32).toString('base64')}` }),
  };
}

/**
 * The cheapest setting of the SDK: no promise hook in the workflow thread. Without it, the SDK records no
 * stack of a promise.
 */
const noPromiseHook = `data:text/javascript,import v8 from 'node:v8'; v8.promiseHooks.createHook = () => { throw new Error('off') }`;

async function startFloorWorker(ground: Ground, host: Host): Promise<void> {
  await startOn(ground, host, {
    ...{ part: 'floor-worker', says: 'worker is running', flags: ['--import', noPromiseHook] },
    args: [join(ground.dist, 'floor-bundle.js')],
    env: { TEMPORAL_ADDRESS: ground.temporalAddress, TEMPORAL_NAMESPACE: namespace },
  });
}

async function startFloorClient(ground: Ground, host: Host): Promise<string> {
  const port = String(await freePort());
  const { temporalAddress: TEMPORAL_ADDRESS } = ground;
  const env = { TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE: namespace, HOST: host.address, PORT: port };
  await startOn(ground, host, { part: 'floor-client', says: 'client is listening', env });
  return `http://${host.address}:${port}`;
}

interface Entry {
  readonly part: Part;
  /** Text that the process logs when it is ready. */
  readonly says: string;
  readonly env: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Further flags of Node. */
  readonly flags?: readonly string[];
}

/** @returns the process id */
async function startOn({ options, dist, system }: Ground, host: Host, entry: Entry): Promise<number> {
  const { part, says, args = [], flags = [] } = entry;
  const pids = system.get(part) ?? [];
  const name = pids.length === 0 ? part : `${part}-${pids.length + 1}`;
  const logFile = join(options.place.folder, `${name}.log`);
  const file = join(dist, `${part}.js`);
  const node = ['--enable-source-maps', ...flags, file, ...args];
  const [command, ...rest] = host.command(process.execPath, node);
  const child = await startChild({
    ...{ command, args: rest, logFile, stopSignal: 'SIGTERM' },
    env: { PATH: env['PATH'] ?? '', NODE_ENV: 'production', ...entry.env },
  });
  options.place.atEnd(() => child.stop());
  await untilSaid(child, logFile, says);
  options.say(`✓ ${name}${host === thisMachine ? '' : ` on ${host.address}`}`);
  pids.push(child.pid);
  return child.pid;
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
