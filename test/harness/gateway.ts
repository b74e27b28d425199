// A whole gateway for a test file: api and worker in this process, the sandbox parties beside them, on the run's real
// Temporal server and a database of the file's own. Everything speaks real HTTP.
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { afterAll, afterEach } from 'vitest';
import { pino, type Logger } from 'pino';
import { startApi, type RunningApi } from '../../api/start.ts';
import { startWorker, type RunningWorker } from '../../activities/start.ts';
import { quietPort } from './quiet-port.ts';
import { parseApiConfig, type ApiConfig, type WorkerConfig } from '../../core/settings/config.ts';
import { connect, type Db } from '../../db/pool/connection.ts';
import { migrate } from '../../db/migrations/migrate.ts';
import { seed } from '../../db/seed.ts';
import type { Traces } from '../../telemetry/traces.ts';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import type { SigningKeys } from '../../sandbox/signed-messages.ts';
import type { SandboxClearingSystem, SandboxOptions } from '../../sandbox/options.ts';
import { clientCredentials } from '../../sandbox/tokens.ts';
import type { XmlEngine } from '../../xml/engine.ts';
import { openConfiguredEngine } from '../../xml/open-engine.ts';
import { keySetPath } from '../../core/deliveries/webhook-signature.ts';
import type { ReferenceLimits } from '../../db/scheme/reference-cache.ts';
import { testDatabase } from './database.ts';
import { patientConnects, patientDatabase, patientReference } from './patience.ts';
import { testTemporal, testWorkflowBundle } from './temporal.ts';

export interface TestGateway {
  readonly url: string;
  readonly db: Db;
  readonly databaseUrl: string;
  readonly sandbox: Sandbox;
  readonly config: ApiConfig;
  /** The same, with the rights of a worker on the database (SEC-6). */
  readonly workerConfig: WorkerConfig;
  readonly temporalAddress: string;
  readonly taskQueuePrefix: string;
  /** A client of the file's namespace. */
  readonly temporal: Client;
  /** Every pacs.002 that was the answer to a submission, for whoever judges all messages at the end. */
  readonly answers: string[];
  /** UETRs whose final the test itself reported, so that the simulated destination knows nothing of it. */
  readonly reported: string[];
  /** Of clients that the test has made, in place of the demo's. */
  readonly secrets: Map<string, string>;
  /** A bearer token of a demo client. */
  token(clientId: string): Promise<string>;
  /** The port for metrics and health of the api, or of the worker that runs (OBS-2, OBS-4). */
  telemetryUrl(of: 'api' | 'worker'): string;
  /** Stops the worker; `startWorker` starts another. */
  stopWorker(): Promise<void>;
  /** `sweepEveryMs`: in place of the gateway’s own. */
  startWorker(sweepEveryMs?: number | null): Promise<void>;
}

export interface GatewayOptions {
  readonly maxCachedWorkflows?: number;
  readonly timings?: SandboxOptions['timings'];
  /** false: the file starts its worker itself, as a process of its own perhaps. */
  readonly worker?: boolean;
  /** HIGH: seconds to the deadline (TIM-1) of every destination, in the gateway and at the parties. */
  readonly maxExecutionSeconds?: number;
  /** A Temporal server of the file's own, which it may stop; default: the one of the run. */
  readonly temporalAddress?: string;
  /** Milliseconds between two sweeps of the worker (LIF-2); default: none but the one at its start. */
  readonly sweepEveryMs?: number;
  readonly lookAtBooksMs?: number;
  /** Milliseconds of a sweep for each kind of what may be long; default: as in production. */
  readonly sweepPieceMs?: number;
  /** Milliseconds for which an execution may stand still; default 4 s. */
  readonly standstillMs?: number;
  /** The engine of the worker, where a test wants it to fail; default: libxml2. */
  readonly workerEngine?: XmlEngine;
  /** Of the payment systems whose destinations sign what they send; default: none. */
  readonly signingKeys?: SigningKeys;
  /** Directory of a usage guideline, of the gateway and of the parties; default: ours. */
  readonly usageGuideline?: string;
  /** Settings of api and worker, beside those of a test. */
  readonly settings?: Readonly<Record<string, string>>;
  /** SEALING_KEYS of api and worker; default: nothing is sealed. */
  readonly sealingKeys?: string;
  /** Default: one whose warnings are told when a test fails. */
  readonly logger?: Logger;
  /** Of the api, and of the worker that is started next; default: none (OBS-3). */
  readonly traces?: { api?: Traces | undefined; worker?: Traces | undefined };
  /** none: an empty production system, without the demo's scheme and clients (ADM-1); its tests give clients secrets. */
  readonly scheme?: 'demo' | 'none';
  /** Default: patient ones. */
  readonly referenceLimits?: ReferenceLimits;
  /** Runs before the parts start, on the seeded database. */
  readonly prepare?: (db: Db) => Promise<void>;
}

Runtime.install({ logger: new DefaultLogger('WARN') });

const seededClearingSystems = JSON.parse(
  readFileSync(new URL('../../db/seed/clearing-systems.json', import.meta.url), 'utf8'),
) as SandboxClearingSystem[];

/** Call it at the top of a test file: `const gateway = await testGateway()`. It is closed after the file's tests. */
export async function testGateway(options: GatewayOptions = {}): Promise<TestGateway> {
  const isEmpty = options.scheme === 'none';
  const database = await testDatabase(isEmpty ? 'empty' : 'seeded');
  if (isEmpty) await migrate(database.url);
  const secrets = new Map<string, string>();
  const secretOf = (clientId: string) => secrets.get(clientId) ?? `demo-${clientId}`;
  const shared = await testTemporal();
  const temporal = { ...shared, address: options.temporalAddress ?? shared.address };
  const workflowBundle = await testWorkflowBundle();
  const port = await quietPort(); // named in tokens and messages before the api takes it
  const publicUrl = `http://127.0.0.1:${port}`;
  const { maxExecutionSeconds } = options;
  const clearingSystems = seededClearingSystems.map((system) => ({
    ...system,
    ...(maxExecutionSeconds === undefined ? {} : { maxExecutionSeconds }),
  }));
  // Trying a guideline keeps the process busy for seconds: before the api, which is in the same process here
  const engine = await openConfiguredEngine({ xsdEngine: 'libxml2', usageGuideline: options.usageGuideline });
  const sandbox = await startSandbox({
    clearingSystems,
    tokens: clientCredentials({
      tokenUrl: `${publicUrl}/oauth/token`,
      credentials: (clientId) => ({ clientId, clientSecret: secretOf(clientId) }),
    }),
    gatewayKeysUrl: `${publicUrl}${keySetPath}`,
    ...(options.signingKeys && { signingKeys: options.signingKeys }),
    ...(options.timings && { timings: options.timings }),
    engine,
  });
  if (!isEmpty) {
    await seed(database.url, {
      operatorEndpointUrl: (operatorId) => sandbox.destinationUrl(operatorId),
      fxpBaseUrl: (fxpBic) => sandbox.fxpBaseUrl(fxpBic),
    });
  }
  const db = connect(database.url, {
    applicationName: 'isthmus-test',
    maxConnections: 4,
    limits: patientConnects,
  });
  if (maxExecutionSeconds !== undefined) {
    await db.updateTable('clearing_systems').set({ max_execution_seconds: maxExecutionSeconds }).execute();
  }
  await options.prepare?.(db);
  const config = parseApiConfig({
    DATABASE_URL: database.as('isthmus_api'),
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: temporal.namespace,
    PORT: String(port),
    PUBLIC_URL: publicUrl,
    AUTH: 'builtin',
    DEMO: isEmpty ? '0' : '1',
    ALLOW_LOOPBACK_CALLBACKS: '1',
    METRICS_PORT: '0',
    WORKER_SERVES: 'all',
    DRAIN_SECONDS: '0',
    USAGE_GUIDELINE: options.usageGuideline ?? '',
    XERCES_SHARE: '0', // a JVM for each; the tests of it set it
    SEALING_KEYS: options.sealingKeys ?? '',
    ...options.settings,
  });
  const taskQueuePrefix = `${temporal.taskQueue('t')}-`;
  const logger = options.logger ?? keptLog();
  const { referenceLimits = patientReference } = options;
  const limits = { databaseLimits: patientDatabase, referenceLimits };
  const connection = await Connection.connect({ address: temporal.address });
  const api: RunningApi = await startApi(config, {
    logger,
    taskQueuePrefix,
    traces: options.traces?.api,
    ...limits,
  });
  let worker: RunningWorker | undefined;
  const gateway: TestGateway = {
    url: api.url,
    db,
    databaseUrl: database.url,
    sandbox,
    config,
    workerConfig: { ...config, databaseUrl: database.as('isthmus_worker') },
    temporalAddress: temporal.address,
    taskQueuePrefix,
    temporal: new Client({ connection, namespace: temporal.namespace }),
    answers: [],
    reported: [],
    secrets,
    token: tokens(api.url, secretOf),
    telemetryUrl: (of) => `http://127.0.0.1:${(of === 'api' ? api : worker)?.metricsPort ?? 0}`,
    stopWorker: async () => {
      await worker?.shutdown();
      worker = undefined;
    },
    startWorker: async (everyMs = options.sweepEveryMs ?? null) => {
      worker = await startWorker(gateway.workerConfig, {
        ...limits,
        logger,
        workflowBundle,
        taskQueuePrefix,
        traces: options.traces?.worker,
        sweep: {
          everyMs,
          ...(options.sweepPieceMs !== undefined && { pieceMs: options.sweepPieceMs }),
          graceMs: 1_000,
          standstillMs: options.standstillMs ?? 4_000,
        },
        ...(options.lookAtBooksMs !== undefined && { lookAtBooksMs: options.lookAtBooksMs }),
        engine: options.workerEngine ?? engine,
        ...(options.maxCachedWorkflows === undefined
          ? {}
          : { maxCachedWorkflows: options.maxCachedWorkflows }),
      });
    },
  };
  if (options.worker !== false) await gateway.startWorker();
  afterAll(async () => {
    await gateway.stopWorker();
    await sandbox.close();
    await api.close();
    await connection.close();
    await db.destroy();
  });
  return gateway;
}

/**
 * A process that did not run for seconds, as on a busy machine, answers 503 until the database has confirmed its reference
 * data (REF-6): it is asked again. A refusal is told, and not kept for the tests that follow.
 */
function tokens(url: string, secretOf: (clientId: string) => string): (clientId: string) => Promise<string> {
  const known = new Map<string, Promise<string>>();
  const fetchToken = async (clientId: string, untilMs = Date.now() + 15_000): Promise<string> => {
    const response = await fetch(`${url}/oauth/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${clientId}:${secretOf(clientId)}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    });
    const text = await response.text();
    if (response.ok) return (JSON.parse(text) as { access_token: string }).access_token;
    if (response.status !== 503 || Date.now() > untilMs) {
      throw new Error(`no token for ${clientId}: ${response.status} ${text}`);
    }
    await delay(100);
    return fetchToken(clientId, untilMs);
  };
  return (clientId) => {
    const token = known.get(clientId) ?? fetchToken(clientId);
    known.set(clientId, token);
    token.catch(() => known.delete(clientId));
    return token;
  };
}

/** What the gateway has logged, for whoever reads of a failed test: warnings and errors, the last fifty. */
function keptLog(): Logger {
  const lines: string[] = [];
  afterEach(({ task }) => {
    if (task.result?.state === 'fail')
      process.stderr.write(`The gateway's log:\n${lines.slice(-50).join('')}`);
    lines.length = 0;
  });
  return pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
}
