// Provides a Temporal server for the demo and the tests: an existing server, or the development server of the
// Temporal CLI. The development server stores its data in SQLite. This file must not know what a payment is.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Connection } from '@temporalio/client';
import type { Environment } from '../../core/settings/environment-variables.ts';
import { reasonOf, UserError } from '../errors.ts';
import { answersOk, startChild, untilUp, type Child } from './child.ts';
import { freePort, startOnFreePorts } from './ports.ts';
import { secondsSince, type Say } from './progress.ts';
import { findTemporal } from './temporal-binary.ts';

/** Search attributes of type Keyword. They must be registered before a workflow sets them. */
export type SearchAttributes = readonly { readonly name: string }[];

/**
 * Server settings that differ from the defaults. docker/temporal-dynamic-config.yaml has the same settings.
 * @internal exported for tests
 */
export const dynamicConfig = {
  // With the default of 20, the server polls the queue of a shard at most every 50 ms. Every workflow task
  // waits for such a poll, so a submission takes 55 ms instead of 15 ms. No other setting has such a large
  // effect.
  'history.transferProcessorMaxPollRPS': 200,
  'history.timerProcessorMaxPollRPS': 200,
  // Off by default on self-hosted servers. It saves one round trip through the matching service per activity.
  'system.enableActivityEagerExecution': true,
  // Each queue has one partition, so that a task never waits in a partition that no worker polls at that
  // moment.
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
  // The defaults (2,400 requests per second) would throttle a burst of payments.
  'frontend.namespaceRPS': 20_000,
  'frontend.rps': 20_000,
  // With the default of 10, ten submissions that wait for the final status would block the destination's
  // report.
  'history.maxInFlightUpdates': 1_000,
  // The default is 2,000. Each enquiry is an update, and a payment can wait long. Its enquiries must not use
  // up the updates that the destination's report needs.
  'history.maxTotalUpdates': 20_000,
  // A poll of a worker host that vanished still gets tasks until it expires, and each such task waits for a
  // timeout. With the default of 60 s, one payment waited 40 s.
  'matching.longPollExpirationInterval': '10s',
} as const satisfies Record<string, number | boolean | string>;

export interface StartTemporalOptions {
  readonly env: Environment;
  /** Folder for data, pid file and log: `.isthmus`, or a separate folder for tests. */
  readonly folder: string;
  /** Folder for fetched binaries, such as `.isthmus/bin`. */
  readonly binFolder: string;
  /** With `file`, workflows survive a restart of the server. With `memory`, they do not. */
  readonly storage: 'file' | 'memory';
  readonly searchAttributes: SearchAttributes;
  /** Whether the server also serves its web UI. */
  readonly ui: boolean;
  /** If one of these ports is taken, another one is chosen. Default: any free ports. */
  readonly preferredPorts?: { readonly grpc: number; readonly ui: number };
  /** Settings added to `dynamicConfig`. Tests use them to reach limits quickly. */
  readonly furtherConfig?: Readonly<Record<string, number | boolean>>;
  readonly say: Say;
}

export interface RunningTemporal {
  /** Host and port of the server's gRPC frontend. */
  readonly address: string;
  /** Address of the web UI; absent for an external server, or if the UI is off. */
  readonly uiAddress?: string;
  /** Process id of the server; absent for an external server. */
  readonly pid?: number;
  readonly logFile?: string;
  /**
   * Resolves with a message when the development server has ended for any reason. Never resolves for an
   * external server.
   */
  readonly exited: Promise<string>;
  /** Stops the development server. Does nothing to an external server. */
  stop(): Promise<void>;
}

export const defaultTemporalPorts = { grpc: 7233, ui: 8233 } as const;

/**
 * Returns a running Temporal server on which the search attributes are registered.
 * @throws UserError if no Temporal CLI is found or fetched, or if the development server is not healthy
 *   within 60 s. In the second case, the message contains the end of the log.
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
    command: resolve(binary), // absolute path, because the child has another working directory
    cwd: home, // the path of the database file does not depend on the working directory
    args: serverArguments(options, { home, ports }),
    // GOGC=800 collects garbage less often: it saves 7 % CPU and costs half a gigabyte of memory.
    env: { GOGC: '800', HOME: options.env['HOME'] ?? home, PATH: options.env['PATH'] ?? '' },
    logFile,
    stopSignal: 'SIGTERM',
  });
  try {
    // The server creates the namespace last. So when its HTTP API finds the namespace, the whole server is
    // up.
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
 * SQLite settings. By measurement, they are as fast as in-memory storage. A crash of the server loses no
 * data. A crash of the machine may lose the last moments.
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
      `${key}=${JSON.stringify(value)}`,
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
