// The Temporal server of the demo and of the tests: an existing one, or our own development server, a real server on
// SQLite. It must not know what a payment is.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Connection } from '@temporalio/client';
import type { Environment } from '../../core/settings/environment-variables.ts';
import { reasonOf, UserError } from '../errors.ts';
import { answersOk, startChild, untilUp, type Child } from './child.ts';
import { freePort, startOnFreePorts } from './ports.ts';
import { secondsSince, type Say } from './progress.ts';
import { findTemporal } from './temporal-binary.ts';

/** Keywords by name. They must be registered before a workflow sets them. */
export type SearchAttributes = readonly { readonly name: string }[];

/**
 * Settings that differ from the server's defaults; docker/temporal-dynamic-config.yaml has the same.
 * @internal exported for tests
 */
export const dynamicConfig = {
  // The default of 20 polls each shard's queue at most every 50 ms, and every workflow task waits for a poll: a submit
  // takes 55 ms instead of 15 ms. This setting has the largest effect.
  'history.transferProcessorMaxPollRPS': 200,
  'history.timerProcessorMaxPollRPS': 200,
  // Off by default on self-hosted servers. It saves a round trip through the matching service per activity.
  'system.enableActivityEagerExecution': true,
  // One partition each, so that a task never waits in a partition that nobody polls at that moment.
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
  // The defaults (2,400 requests per second) throttle a burst of payments.
  'frontend.namespaceRPS': 20_000,
  'frontend.rps': 20_000,
  // With the default of 10, ten submissions that wait for the final would block the destination's report.
  'history.maxInFlightUpdates': 1_000,
  // default 2,000: enquiries are updates, and must never block the destination's report in a payment that waits long
  'history.maxTotalUpdates': 20_000,
} as const satisfies Record<string, number | boolean>;

export interface StartTemporalOptions {
  readonly env: Environment;
  /** Data, pid file and log: `.isthmus`, or a separate folder for tests. */
  readonly folder: string;
  /** Folder of fetched binaries: `.isthmus/bin`. */
  readonly binFolder: string;
  /** file: workflows survive a restart of the server; memory: they do not. */
  readonly storage: 'file' | 'memory';
  readonly searchAttributes: SearchAttributes;
  /** Serve the UI. */
  readonly ui: boolean;
  /** If one is taken, another is chosen. Absent: any free ports. */
  readonly preferredPorts?: { readonly grpc: number; readonly ui: number };
  /** Added to `dynamicConfig`; tests use it to reach limits quickly. */
  readonly furtherConfig?: Readonly<Record<string, number | boolean>>;
  readonly say: Say;
}

export interface RunningTemporal {
  /** host:port of the frontend. */
  readonly address: string;
  /** Address of the UI; absent for an external server, or without a UI. */
  readonly uiAddress?: string;
  /** The server's process; absent for an external server. */
  readonly pid?: number;
  readonly logFile?: string;
  /** Resolves when our own server has ended, for whatever reason. Never resolves for an external server. */
  readonly exited: Promise<string>;
  /** Stops our own server; does nothing for an external one. */
  stop(): Promise<void>;
}

export const defaultTemporalPorts = { grpc: 7233, ui: 8233 } as const;

/**
 * Returns a Temporal server that answers and knows the search attributes.
 * @throws UserError if none is found or fetched, or with the log's end if our own is not healthy within
 *   60 s
 */
export async function startTemporal(options: StartTemporalOptions): Promise<RunningTemporal> {
  const existing = options.env['TEMPORAL_ADDRESS'];
  if (existing !== undefined && existing !== '') return useExisting(existing, options);
  const binary = await findTemporal(options);
  const started = performance.now();
  const home = join(options.folder, 'temporal');
  const logFile = join(options.folder, 'temporal.log');
  mkdirSync(home, { recursive: true });
  const { child, ports } = await startOnFreePorts(() => startOnce(options, { binary, home, logFile }), {
    name: 'the Temporal server',
    logFile,
    say: options.say,
  });
  const address = `127.0.0.1:${ports.grpc}`;
  const uiAddress = ports.ui === undefined ? {} : { uiAddress: `http://127.0.0.1:${ports.ui}` };
  options.say(`✓ Temporal on ${address} (${secondsSince(started)})`);
  return { address, ...uiAddress, pid: child.pid, logFile, exited: child.exited, stop: () => child.stop() };
}

async function startOnce(
  options: StartTemporalOptions,
  at: { binary: string; home: string; logFile: string },
): Promise<{ child: Child; ports: Ports }> {
  const { binary, home, logFile } = at;
  const ports = {
    grpc: await freePort(options.preferredPorts?.grpc),
    http: await freePort(),
    ui: options.ui ? await freePort(options.preferredPorts?.ui) : undefined,
  };
  const preferredUi = options.preferredPorts?.ui;
  if (ports.ui !== undefined && preferredUi !== undefined && ports.ui !== preferredUi)
    options.say(`! Port ${preferredUi} is taken (Temporal UI): ${ports.ui} instead`);
  const child = await startChild({
    command: resolve(binary), // absolute, because the child has another working directory
    cwd: home, // the path of the database file does not depend on it
    args: serverArguments(options, { home, ports }),
    // GOGC: 7 % less CPU for half a gigabyte of memory.
    env: { GOGC: '800', HOME: options.env['HOME'] ?? home, PATH: options.env['PATH'] ?? '' },
    logFile,
    stopSignal: 'SIGTERM',
  });
  try {
    // The server creates the namespace last. Its HTTP API answers for the namespace once everything is up.
    const health = `http://127.0.0.1:${ports.http}/api/v1/namespaces/default`;
    await untilUp(child, () => answersOk(health), {
      logFile,
      says: 'The Temporal server did not become healthy',
      advice: 'Fix what its log reports, set TEMPORAL_CLI to another Temporal CLI',
    });
  } catch (error) {
    await child.stop();
    throw error;
  }
  return { child, ports };
}

/**
 * Measured to be as fast as memory. A crash of the machine may lose the last moments; a crash of the server loses
 * nothing.
 */
const pragmas = ['journal_mode=WAL', 'synchronous=NORMAL'];

interface Ports {
  readonly grpc: number;
  readonly http: number;
  readonly ui: number | undefined;
}

function serverArguments(options: StartTemporalOptions, at: { home: string; ports: Ports }): string[] {
  const { ports } = at;
  const storage =
    options.storage === 'file'
      ? [
          '--db-filename',
          join(at.home, 'temporal.db'),
          ...pragmas.flatMap((pragma) => ['--sqlite-pragma', pragma]),
        ]
      : [];
  return [
    'server',
    'start-dev',
    '--disable-config-file',
    '--disable-config-env',
    ...['--ip', '127.0.0.1', '--port', String(ports.grpc), '--http-port', String(ports.http)],
    ...(ports.ui === undefined ? ['--headless'] : ['--ui-port', String(ports.ui), '--ui-disable-news-fetch']),
    ...['--log-level', 'warn', '--log-format', 'json'],
    ...storage,
    ...Object.entries({ ...dynamicConfig, ...options.furtherConfig }).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${value}`,
    ]),
    ...options.searchAttributes.flatMap(({ name }) => ['--search-attribute', `${name}=Keyword`]),
  ];
}

async function useExisting(address: string, options: StartTemporalOptions): Promise<RunningTemporal> {
  const namespace = options.env['TEMPORAL_NAMESPACE'] || 'default';
  const connection = await Connection.connect({ address, connectTimeout: '10 s' }).catch((error: unknown) => {
    throw noTemporal(address, error);
  });
  try {
    await registerMissing(connection, namespace, options.searchAttributes);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === grpcNotFound) {
      throw new UserError(
        `The Temporal server at ${address} has no namespace ${namespace}. Create it (temporal operator namespace create -n ${namespace}), or correct TEMPORAL_NAMESPACE.`,
      );
    }
    throw noTemporal(address, error);
  } finally {
    await connection.close();
  }
  options.say(`✓ Temporal on ${address} (TEMPORAL_ADDRESS)`);
  return { address, exited: new Promise(() => undefined), stop: () => Promise.resolve() };
}

const noTemporal = (address: string, error: unknown): UserError =>
  new UserError(
    `TEMPORAL_ADDRESS names ${address}, where no Temporal server answers (${reasonOf(error).split('\n')[0] ?? ''}). Correct it, or unset it to have a Temporal server started for you.`,
  );

const grpcNotFound = 5;
const keyword = 2; // INDEXED_VALUE_TYPE_KEYWORD

async function registerMissing(
  { operatorService }: Connection,
  namespace: string,
  wanted: SearchAttributes,
): Promise<void> {
  const known = await operatorService.listSearchAttributes({ namespace });
  const missing = wanted.filter(({ name }) => !(name in known.customAttributes));
  if (missing.length === 0) return;
  const searchAttributes = Object.fromEntries(missing.map(({ name }) => [name, keyword]));
  await operatorService.addSearchAttributes({ namespace, searchAttributes });
}
