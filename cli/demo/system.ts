// Starts and stops the whole demo system in order. First come Postgres and Temporal, then the schema and seed
// data, then api, worker and sandbox as separate processes. It plays no payment.
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../core/settings/environment-variables.ts';
import { temporal } from '../../core/settings/settings.ts';
import { keySetPath } from '../../core/deliveries/webhook-signature.ts';
import { migrate } from '../../db/migrations/migrate.ts';
import { seed } from '../../db/seed.ts';
import { searchAttributes } from '../../contract/ids.ts';
import { UserError } from '../errors.ts';
import { entries } from '../entries.mjs';
import { buildImage } from '../image.ts';
import { answersOk } from '../parts/child.ts';
import { claimFolder } from '../parts/claim.ts';
import { makeLogins, type ProcessLogins } from '../parts/logins.ts';
import { freePort } from '../parts/ports.ts';
import { defaultPostgresPort, startPostgres, type RunningPostgres } from '../parts/postgres.ts';
import { secondsSince, type Say } from '../parts/progress.ts';
import { defaultTemporalPorts, startTemporal, type RunningTemporal } from '../parts/temporal.ts';
import { addressesWith, type Replacements } from './replacements.ts';
import { healthOf, removeRunFile, writeRunFile, whoAnswers, type RunFile } from './run-file.ts';
import { supervise, type SupervisedProcess } from '../parts/supervisor.ts';
import { ensureWorkflowBundle } from '../workflow-bundle.ts';

export interface StartSystemOptions {
  readonly env: Environment;
  /** Root folder of the project. */
  readonly root: string;
  /** Folder of data, logs, journals and fetched binaries; default: `.isthmus`. */
  readonly folder: string;
  readonly replaced: Replacements;
  readonly say: Say;
}

export interface RunningSystem {
  readonly run: RunFile;
  /** Resolves with a message when Postgres or Temporal has ended. The system cannot work without them. */
  readonly broken: Promise<string>;
  /** Stops the processes first, then the servers that they need. */
  stop(): Promise<void>;
}

/**
 * @throws FolderInUseError if another command uses the folder. Nothing in the folder has then changed.
 * @throws the error of the part that did not start, with the end of its log. All other parts are then
 *   stopped.
 */
export async function startSystem(options: StartSystemOptions): Promise<RunningSystem> {
  refuseTls(options.env);
  mkdirSync(options.folder, { recursive: true });
  const claim = claimFolder(options.folder);
  try {
    const parts = await startParts(options);
    return { ...parts, stop: () => parts.stop().finally(() => claim.release()) };
  } catch (error) {
    claim.release();
    throw error;
  }
}

/**
 * Builds the processes into the folder, then starts all parts. The processes restart from the built files, so
 * only the owner may write them.
 */
async function startParts(options: StartSystemOptions): Promise<RunningSystem> {
  const { root, folder, say } = options;
  const { api, worker, sandbox } = entries;
  const building = Promise.all([
    buildImage(root, join(folder, 'image'), { api, worker, sandbox }),
    ensureWorkflowBundle(root, folder),
  ]);
  building.catch(() => undefined); // the code that awaits this promise below reports the error
  const servers = await startServers(options);
  removeRunFile(folder); // a killed demo may have left its run file
  process.once('exit', () => removeRunFile(folder)); // runs even after a second Ctrl-C
  const processes: SupervisedProcess[] = [];
  const stop = async () => {
    removeRunFile(folder); // removed first, so that other commands no longer find this demo
    const [sandbox, ...ours] = processes.toReversed();
    await Promise.all(ours.map((one) => one.stop()));
    await sandbox?.stop();
    await servers.stop();
  };
  try {
    const started = performance.now();
    const { applied, newer } = await migrate(servers.postgres.url);
    const current = newer.length === 0 ? 'schema is current' : 'schema is of a newer release';
    const migrations = applied.length === 0 ? current : `${applied.length} migrations applied`;
    const logins = await loginsOn(servers.postgres);
    say(`✓ Database: ${migrations} (${secondsSince(started)})`);
    const run = describeRun(options, servers, await choosePorts(say));
    await seed(servers.postgres.url, addressesWith(options.replaced, run.sandbox));
    await startProcesses(options, { run, logins, processes, built: await building });
    return { run, broken: servers.exited, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface RunningServers {
  readonly postgres: RunningPostgres;
  readonly temporal: RunningTemporal;
  /**
   * Resolves when one of the embedded servers has ended. The message contains its name, the reason and the
   * log file.
   */
  readonly exited: Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts Postgres and Temporal in parallel.
 * @throws the error of the server that failed, after the other one was stopped
 */
async function startServers({ env, folder, say }: StartSystemOptions): Promise<RunningServers> {
  const starting = [
    startPostgres({ env, folder, database: 'isthmus', preferredPort: defaultPostgresPort, say }),
    startTemporal({
      env,
      folder,
      binFolder: join(folder, 'bin'),
      storage: 'file',
      searchAttributes: Object.values(searchAttributes),
      ui: true,
      preferredPorts: defaultTemporalPorts,
      say,
    }),
  ] as const;
  try {
    const [postgres, temporalServer] = await Promise.all(starting);
    return {
      postgres,
      temporal: temporalServer,
      exited: Promise.race([endOf('Postgres', postgres), endOf('The Temporal server', temporalServer)]),
      stop: async () => {
        await temporalServer.stop();
        await postgres.stop();
      },
    };
  } catch (error) {
    for (const one of await Promise.allSettled(starting))
      if (one.status === 'fulfilled') await one.value.stop();
    throw error;
  }
}

async function endOf(name: string, { exited, logFile }: Pick<RunningPostgres, 'exited' | 'logFile'>) {
  const how = await exited;
  return `${name} has ended: ${how}.${logFile === undefined ? '' : ` Its log is ${logFile}.`}`;
}

/**
 * Returns the database logins of api and worker. On an external server, both use the login of DATABASE_URL.
 * On the embedded server, each gets its own login.
 */
async function loginsOn({ url, pid }: RunningPostgres): Promise<ProcessLogins> {
  return pid === undefined ? { api: url, worker: url } : makeLogins(url);
}

/** Chooses a free port for each process and returns the base addresses on loopback. */
async function choosePorts(say: Say) {
  const choose = async (preferred?: number, owner?: string) => {
    const chosen = await freePort(preferred);
    if (preferred !== undefined && chosen !== preferred)
      say(`! Port ${preferred} is taken (${owner ?? ''}): ${chosen} instead`);
    return `http://127.0.0.1:${chosen}`;
  };
  return {
    api: await choose(8080, 'api'),
    source: await choose(9101, 'source operators'),
    destination: await choose(9102, 'destinations'),
    fxProvider: await choose(9103, 'FX providers'),
    metrics: { api: `${await choose()}/metrics`, worker: `${await choose()}/metrics` },
  };
}

function describeRun(
  { env, folder, replaced }: StartSystemOptions,
  { postgres, temporal: { address, uiAddress } }: RunningServers,
  { api, metrics, ...sandbox }: Awaited<ReturnType<typeof choosePorts>>,
): RunFile {
  return {
    instanceId: randomUUID(),
    apiUrl: api,
    ...(uiAddress === undefined ? {} : { temporalUiUrl: uiAddress }),
    temporalAddress: address,
    temporalNamespace: env['TEMPORAL_NAMESPACE'] || temporal.namespace.details.default,
    databaseUrl: postgres.url,
    sandbox,
    metrics,
    journalDirectory: join(folder, 'journal'),
    logDirectory: join(folder, 'logs'),
    replaced: { operators: Object.fromEntries(replaced.operators), fxps: Object.fromEntries(replaced.fxps) },
    pids: {},
  };
}

interface ProcessStart {
  readonly run: RunFile;
  readonly logins: ProcessLogins;
  /**
   * The started processes are appended here. The sandbox must be the last one, so that it is stopped last.
   */
  readonly processes: SupervisedProcess[];
  readonly built: readonly [dist: string, workflowBundle: string];
}

async function startProcesses(
  { env, folder, say }: StartSystemOptions,
  { run, logins, processes, built: [dist, workflowBundle] }: ProcessStart,
): Promise<void> {
  const started = performance.now();
  mkdirSync(run.logDirectory, { recursive: true });
  const startOne = async (
    name: string,
    ownEnv: Readonly<Record<string, string>>,
    ...args: readonly string[]
  ) => {
    const supervised = await supervise({
      name,
      args: ['--enable-source-maps', join(dist, `${name}.js`), ...args],
      env: { ...env, ...ownEnv },
      logFile: join(run.logDirectory, `${name}.log`),
      say,
      onStart: (pid) => {
        run.pids[name] = pid;
        writeRunFile(folder, run);
      },
    });
    processes.push(supervised);
    return supervised;
  };
  const metricsAt = (url: string) => ({ METRICS_HOST: '127.0.0.1', METRICS_PORT: portOf(url) });
  const gateway = gatewayEnvironment(env, run);
  const api = await startOne('api', {
    ...gateway,
    ...metricsAt(run.metrics.api),
    DATABASE_URL: logins.api,
    PORT: portOf(run.apiUrl),
  });
  const forWorker = { ...gateway, ...metricsAt(run.metrics.worker), DATABASE_URL: logins.worker };
  const worker = await startOne('worker', forWorker, workflowBundle);
  const sandbox = await startOne('sandbox', sandboxEnvironment(run));
  const isOurs = async (healthUrl: string) => (await whoAnswers(healthUrl, run.instanceId)) === 'it';
  const parties = Object.values(run.sandbox).map((url) => `${url}/health`);
  await Promise.all([
    // Check the instance id too, because another program may have taken the port.
    api.untilReady(
      async () => (await answersOk(`${run.apiUrl}/health/ready`)) && (await isOurs(healthOf(run))),
    ),
    worker.untilReady(() => answersOk(new URL('/health/ready', run.metrics.worker).href)),
    sandbox.untilReady(async () => (await Promise.all(parties.map(isOurs))).every(Boolean)),
  ]);
  say(`✓ api, worker and sandbox (${secondsSince(started)})`);
}

const portOf = (url: string) => new URL(url).port;

/** Refuses TLS settings, because the demo's processes and commands reach each other over plain http. */
function refuseTls(env: Environment): void {
  const secured = ['TLS_CERT', 'TLS_CERT_FILE'].find((name) => (env[name] ?? '') !== '');
  if (secured !== undefined) {
    throw new UserError(
      `${secured} is set, and what is started here speaks plain http on loopback. Unset it; how to end TLS in an api of your own: docs/operations/deploy-and-upgrade.md.`,
    );
  }
}

/**
 * The settings of api and worker in the demo: the built-in token issuer with the demo clients, and plain http
 * on loopback.
 */
function gatewayEnvironment(env: Environment, run: RunFile): Readonly<Record<string, string>> {
  return {
    TEMPORAL_ADDRESS: run.temporalAddress,
    TEMPORAL_NAMESPACE: run.temporalNamespace,
    TEMPORAL_UI_URL: env['TEMPORAL_UI_URL'] || (run.temporalUiUrl ?? ''),
    HOST: '127.0.0.1',
    PUBLIC_URL: run.apiUrl,
    AUTH: 'builtin',
    AUTH_ISSUER: run.apiUrl,
    AUTH_AUDIENCE: run.apiUrl,
    INSTANCE_ID: run.instanceId,
    DEMO: '1',
    // high, so that the second XML engine checks a message even if the user plays only a few payments
    XERCES_SHARE: env['XERCES_SHARE'] || '0.2',
    FOUR_EYES: env['FOUR_EYES'] ?? '0',
    DRAIN_SECONDS: '0', // no load balancer needs time to notice the shutdown
    ALLOW_LOOPBACK_CALLBACKS: '1',
    WORKER_SERVES: 'all',
  };
}

function sandboxEnvironment(run: RunFile): Readonly<Record<string, string>> {
  return {
    HOST: '127.0.0.1',
    INSTANCE_ID: run.instanceId,
    SOURCE_PORT: portOf(run.sandbox.source),
    DESTINATION_PORT: portOf(run.sandbox.destination),
    FXP_PORT: portOf(run.sandbox.fxProvider),
    TOKEN_URL: `${run.apiUrl}/oauth/token`,
    GATEWAY_KEYS_URL: `${run.apiUrl}${keySetPath}`,
    JOURNAL_DIR: run.journalDirectory,
  };
}
