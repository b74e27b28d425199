// The system of a drill: Postgres, Temporal, two apis, two workers and the parties, each a process of its own. Each
// api and worker reaches the servers through a TCP proxy, which stands for the virtual address that a real system
// has for its primary.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { answersOk } from '../../cli/parts/child.ts';
import { makeLogins, type ProcessLogins } from '../../cli/parts/logins.ts';
import { freePort } from '../../cli/parts/ports.ts';
import type { Say } from '../../cli/parts/progress.ts';
import type { ThrowawayPlace } from '../../cli/throwaway.ts';
import type * as Seeding from '../../db/seed.ts';
import { startOurProcess, until, type OurProcess } from '../system/processes.ts';
import { startServers, type Servers } from '../system/servers.ts';
import { gatewayEnvironment, migrate, queryOf, startSandbox, type ChaosSystem } from '../system/system.ts';

/** Built processes of one release. */
export interface Release {
  readonly dist: string;
  /** Version of its workers in Temporal's Worker Deployment; absent: they have no version. */
  readonly buildId?: string;
}

export interface DrillSystem {
  readonly servers: Servers;
  readonly query: ChaosSystem['query'];
  /** Folder of the parties' journals. */
  readonly journalFolder: string;
  /** Addresses of the two apis. They stay the same when an api is replaced. */
  readonly apiUrls: readonly string[];
  readonly callbackUrl: (clearingSystemId: string, message: 'pacs002' | 'acmt024') => string;
  /** The running apis and workers. */
  readonly running: ReadonlySet<OurProcess>;
  /** Leads every process to another server with a copy of the database. */
  useDatabase(url: string): void;
  /** Migrates the database as the release does. */
  migrate(release: Release): Promise<void>;
  /** Starts an api or a worker, and waits until it is ready. The api of a place has one address. */
  startApi(place: number, release: Release): Promise<OurProcess>;
  startWorker(release: Release): Promise<OurProcess>;
  /** Stops a process with SIGTERM, and waits for its end. */
  stop(one: OurProcess): Promise<void>;
  /** Ends a process with SIGTERM, and waits until its successor is ready. */
  restart(one: OurProcess): Promise<void>;
}

export interface StartOptions {
  /** Root folder of this project. */
  readonly root: string;
  readonly place: ThrowawayPlace;
  readonly postgresSettings?: Readonly<Record<string, string>>;
  readonly say: Say;
}

export const deploymentName = 'isthmus';
const drainSeconds = '1'; // an api that stops is unready for so long before it takes no more requests
const readyMs = 120_000; // a start on a busy machine
const at = (port: number) => `http://127.0.0.1:${port}`;
const quiet: Say = () => undefined;

/**
 * Starts the servers and the parties, but neither apis nor workers.
 * @param first the release that migrates the new database, and `tree`, its code, from which the seed data come
 */
export async function startDrillSystem(
  { root, place, postgresSettings, say }: StartOptions,
  { first, tree }: { readonly first: Release; readonly tree: string },
): Promise<DrillSystem> {
  const { env, folder, binFolder } = place;
  const [logFolder, journalFolder] = [join(folder, 'logs'), join(folder, 'journal')];
  for (const one of [logFolder, journalFolder]) mkdirSync(one);
  const running = new Set<OurProcess>();
  const servers = await startServers({
    env,
    folder,
    binFolder,
    say,
    ...(postgresSettings && { postgresSettings }),
    onMoved: (server, address) => running.forEach((one) => one[server].retarget(address)),
  });
  place.atEnd(() => servers.stop());
  const databaseUrl = servers.database().url;
  const ports = { source: await freePort(), destination: await freePort(), fxProvider: await freePort() };
  const apiPorts = [await freePort(), await freePort()];
  const publicUrl = at(apiPorts[0] ?? 0);
  await migrate(first.dist, databaseUrl);
  await seedFrom(tree, databaseUrl, ports);
  const sandbox = await startSandbox(
    { env, root, logFolder, journalFolder, say: quiet },
    { ports, publicUrl },
  );
  place.atEnd(() => sandbox.stop());
  await until('the parties answer', () => answersOk(`${at(ports.fxProvider)}/health`), readyMs);
  const logins = await makeLogins(databaseUrl);
  return {
    ...gatewayOn(servers, { place, running, logins, logFolder, apiPorts, publicUrl }),
    servers,
    journalFolder,
    apiUrls: apiPorts.map(at),
    callbackUrl: (id, message) => `${at(ports.source)}/callbacks/${id}/${message}`,
    running,
  };
}

interface GatewayOptions {
  readonly place: ThrowawayPlace;
  readonly running: Set<OurProcess>;
  readonly logins: ProcessLogins;
  readonly logFolder: string;
  readonly apiPorts: readonly number[];
  readonly publicUrl: string;
}

type Gateway = Omit<DrillSystem, 'servers' | 'journalFolder' | 'apiUrls' | 'callbackUrl' | 'running'>;

/** The functions that start, lead and stop the apis and workers. */
function gatewayOn(
  servers: Servers,
  { place, running, logins, logFolder, apiPorts, publicUrl }: GatewayOptions,
): Gateway {
  let databaseUrl = servers.database().url;
  const started = { api: 0, worker: 0 };
  const start = async (kind: 'api' | 'worker', port: number, { dist, buildId }: Release) => {
    const login = new URL(logins[kind]);
    login.host = new URL(databaseUrl).host;
    const one = await startOurProcess({
      name: `${kind}-${(started[kind] += 1)}`,
      kind,
      port,
      dist,
      databaseUrl: login.href,
      temporalAddress: servers.engine().address,
      env: {
        ...gatewayEnvironment(place.env, publicUrl),
        DRAIN_SECONDS: drainSeconds,
        ...(buildId !== undefined && {
          TEMPORAL_DEPLOYMENT_NAME: deploymentName,
          TEMPORAL_WORKER_BUILD_ID: buildId,
        }),
      },
      nameServer: '',
      logFolder,
      folder: place.folder,
      say: quiet,
    });
    running.add(one);
    await until(`${one.name} is ready`, () => answersOk(`${one.url}/health/ready`), readyMs);
    return one;
  };
  place.atEnd(() => Promise.all([...running].map((one) => one.stop())));
  return {
    query: queryOf(() => databaseUrl),
    useDatabase: (url) => {
      databaseUrl = url;
      for (const one of running) one.database.retarget(url);
    },
    migrate: ({ dist }) => migrate(dist, databaseUrl),
    startApi: (nth, release) => start('api', apiPorts[nth] ?? 0, release),
    startWorker: async (release) => start('worker', await freePort(), release),
    stop: async (one) => {
      await one.stop();
      running.delete(one);
    },
    restart: async (one) => {
      const before = one.pid();
      process.kill(before, 'SIGTERM');
      const isBack = async () => one.pid() !== before && (await answersOk(`${one.url}/health/ready`));
      await until(`${one.name} has restarted`, isBack, readyMs);
    },
  };
}

/** Seeds the database with the code of that folder, because the schema is the one of that code. */
async function seedFrom(
  tree: string,
  databaseUrl: string,
  ports: { readonly destination: number; readonly fxProvider: number },
): Promise<void> {
  const path = pathToFileURL(join(tree, 'db', 'seed.ts')).href;
  const { seed } = (await import(path)) as typeof Seeding;
  await seed(databaseUrl, {
    operatorEndpointUrl: (operatorId) => `${at(ports.destination)}/${operatorId}`,
    fxpBaseUrl: (bic) => `${at(ports.fxProvider)}/${bic}`,
  });
}
