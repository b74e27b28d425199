// Assembles the api: database, reference data, authentication, Temporal, routes, server. The entry file uses
// it, and so do tests, which pass their own logger and task queues.
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ApiConfig } from '../core/settings/config.ts';
import { codeSets } from '../core/iso20022/external-codes.ts';
import { isLoopback } from '../core/settings/setting-forms.ts';
import {
  connect,
  isAnswering,
  poolState,
  serviceLimits,
  servicePoolSize,
  type ConnectionLimits,
  type Db,
} from '../db/pool/connection.ts';
import { assertNoDemoClients } from '../db/keys/clients.ts';
import { wrapIssuerKeys } from '../db/keys/issuer.ts';
import { tellOfSealing } from '../db/keys/sealing-state.ts';
import { beginSealing, openVault } from '../db/keys/vault.ts';
import { readGauges } from '../db/records/gauges.ts';
import {
  openReferenceCache,
  tellStale,
  type ReferenceCache,
  type ReferenceLimits,
} from '../db/scheme/reference-cache.ts';
import { createApiMetrics, type ApiMetrics } from '../telemetry/api-metrics.ts';
import { addProcessMetrics } from '../telemetry/process-metrics.ts';
import { startTelemetry, type RunningTelemetry } from '../telemetry/server.ts';
import { traceStatements } from '../telemetry/traces.ts';
import { openCodeSets } from '../xml/open-code-sets.ts';
import { openConfiguredEngine } from '../xml/open-engine.ts';
import { createApp } from './app.ts';
import { certificatesBy } from './auth/client-certificate.ts';
import { createSignatureCheck } from './auth/message-signature.ts';
import { createAuthenticator } from './auth/authenticator.ts';
import { openBuiltinIssuer, type BuiltinIssuer } from './auth/issuer.ts';
import { countRefusedSignatures } from './auth/refused-signatures.ts';
import type { AnsweredRequest } from './http/access-log.ts';
import type { Authenticator } from './http/caller.ts';
import { trusting } from './http/client.ts';
import type { ReadinessCheck } from './dependencies.ts';
import { createQuotas, minutesOfDay } from './http/limits/quotas.ts';
import { startIssuerKeys } from './keys/issuer-keys.ts';
import { startServer } from './http/server.ts';
import { startDueChanges } from './scheme/due-changes.ts';
import { startMaintenance } from './operations/maintenance.ts';
import { modulesOf } from './modules.ts';
import { createAwaitedAnswers } from './payments/awaited-answers.ts';
import { shareCounts } from './http/limits/share-counts.ts';
import { connectTemporal, type TemporalOptions } from './temporal.ts';
import { answersInTime } from './operations/readiness.ts';
import { traceRequests } from './trace-requests.ts';

export interface RunningApi {
  /** Scheme, host and port on which the server listens. */
  readonly url: string;
  /** Port for metrics and health; undefined if the configuration has none. */
  readonly metricsPort?: number;
  readonly close: () => Promise<void>;
}

export interface ApiOptions extends TemporalOptions {
  readonly logger: Logger;
  /** Default: those of the service. */
  readonly databaseLimits?: ConnectionLimits;
  readonly referenceLimits?: ReferenceLimits;
}

/** @throws ConfigurationError, or the error of the part that cannot be reached */
export async function startApi(config: ApiConfig, options: ApiOptions): Promise<RunningApi> {
  const { logger, referenceLimits, ...temporal } = options;
  const db = openDatabase(config, options);
  const closers: (() => Promise<unknown>)[] = [() => db.destroy()];
  const stopping = new AbortController();
  const close = async () => {
    stopping.abort();
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    if (!config.demo || config.auth.kind === 'jwt') await assertNoDemoClients(db);
    await beginSealing(db);
    // even if an external issuer is configured now, because no key may stay sealed by an old sealing key
    await wrapIssuerKeys(db);
    await tellOfSealing(db, logger);
    // blocks the event loop, so it comes before everything that must answer in time
    const engine = await openJudging(config);
    const reference = await openReferenceCache(config.databaseUrl, tellStale(logger), referenceLimits);
    closers.push(() => reference.close());
    const workflows = await connectTemporal(config.temporal, temporal);
    closers.push(() => workflows.close());
    const checkEngine = () => workflows.check();
    const metrics = createApiMetrics(() => readGauges(db), { temporal: () => answersInTime(checkEngine) });
    const opened = { db, reference, logger, metrics };
    const { auth, issuer, checkSignature, refused } = await openAuthentication(config, opened);
    closers.push(startKeys(config, issuer, logger), refused.close);
    const answers = createAwaitedAnswers(db);
    const counters = { quotas: createQuotas(), ofDay: createQuotas(undefined, minutesOfDay) };
    const counts = shareCounts(db, Object.values(counters), logger);
    closers.push(() => counts.close());
    const app = createApp({
      db,
      reference,
      config,
      auth,
      logger,
      readiness: { temporal: checkEngine, process: untilStopping(stopping.signal) },
      capture: temporal.traces?.capture,
      ...counters,
      metrics,
      checkSignature,
      modules: modulesOf({ engine, workflows, answers, undecided: counts.undecided }, issuer),
    });
    closers.push(startMaintenance(config.databaseUrl, logger), startDueChanges(db, logger));
    // before the server starts, open everything that can fail
    const telemetry =
      config.metrics &&
      (await openTelemetry(config.metrics, {
        db,
        reference,
        registry: metrics.registry,
        workflows,
        stopping: stopping.signal,
      }));
    if (telemetry !== undefined) closers.push(() => telemetry.close());
    const server = await startServer(app, { ...config, logger, ...listeningBy(metrics, auth, temporal) });
    closers.push(() => server.close());
    return {
      url: addressOf(config, server.port),
      close: async () => {
        // first, so that load balancers stop sending requests during the shutdown
        stopping.abort();
        await delay(config.drainSeconds * 1_000);
        await close();
      },
      ...(telemetry && { metricsPort: telemetry.port }),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens the code sets first, because reading a guideline's examples needs them. */
function openJudging(config: ApiConfig): ReturnType<typeof openConfiguredEngine> {
  openCodeSets(config.codeSetsDirectory);
  return openConfiguredEngine(config);
}

const openDatabase = (config: ApiConfig, { logger, traces, databaseLimits = serviceLimits }: ApiOptions) =>
  connect(config.databaseUrl, {
    applicationName: 'isthmus-api',
    maxConnections: servicePoolSize,
    limits: databaseLimits,
    trace: traces && traceStatements(traces),
    vault: openVault(config.sealing, logger),
  });

/** @returns a function that stops the rotation */
function startKeys(
  { issuerKeyDays: afterDays }: ApiConfig,
  issuer: BuiltinIssuer | undefined,
  logger: Logger,
): () => Promise<void> {
  if (issuer === undefined || afterDays === 0) return () => Promise.resolve();
  return startIssuerKeys(issuer, { afterDays, logger });
}

/** The server's hooks for each request: metrics, traces, and the lookup of a verified token's sender. */
const listeningBy = (metrics: ApiMetrics, auth: Authenticator, { traces }: TemporalOptions) => ({
  onAnswered: (request: AnsweredRequest) => metrics.requested(request),
  trace: traces && traceRequests(traces),
  knownSender: (authorization: string) => auth.knownSender(authorization),
});

const addressOf = ({ tls, host }: ApiConfig, port: number) =>
  `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;

/**
 * A readiness check that fails once the process is asked to stop, so that load balancers send requests
 * elsewhere.
 */
function untilStopping(stopping: AbortSignal): ReadinessCheck {
  // eslint-disable-next-line @typescript-eslint/require-await -- the check fails if this throws
  return async () => stopping.throwIfAborted();
}

interface AuthenticationParts {
  readonly db: Db;
  readonly reference: ReferenceCache;
  readonly logger: Logger;
  readonly metrics: ApiMetrics;
}

/** Opens the authenticator, the built-in issuer if it is configured, and the check of signatures. */
async function openAuthentication(
  { auth, corsOrigins, ...config }: ApiConfig,
  { db, reference, logger, metrics }: AuthenticationParts,
) {
  const common = { reference: reference.current, clock: Date.now };
  const issuer = auth.kind === 'builtin' ? await openBuiltinIssuer(db, { ...auth, ...common }) : undefined;
  const certificateOf = certificatesBy(config);
  const portalClientId = config.portal.clientId;
  const parts = {
    ...common,
    logger,
    corsOrigins,
    certificateOf,
    portalClientId,
    ...(issuer && { builtin: issuer }),
  };
  const refused = countRefusedSignatures(db, logger);
  const checkSignature = createSignatureCheck({
    ...common,
    db,
    logger,
    metrics,
    refused,
    proxies: trusting(config.trustedProxies),
    authority: publishedHost(config),
  });
  return { auth: createAuthenticator(auth, parts), issuer, checkSignature, refused };
}

/**
 * The host that signatures must name. Undefined on loopback, where messages signed for another gateway cannot
 * arrive.
 */
function publishedHost({ publicUrl }: Pick<ApiConfig, 'publicUrl'>): string | undefined {
  const { host, hostname } = new URL(publicUrl);
  return isLoopback(hostname.replaceAll(/[[\]]/g, '')) ? undefined : host;
}

interface TelemetryParts {
  readonly db: Db;
  readonly reference: ReferenceCache;
  readonly registry: ApiMetrics['registry'];
  readonly workflows: { check(): Promise<unknown> };
  readonly stopping: AbortSignal;
}

function openTelemetry(
  at: { readonly host: string; readonly port: number },
  { db, reference, registry, workflows, stopping }: TelemetryParts,
): Promise<RunningTelemetry> {
  addProcessMetrics(registry, { pool: () => poolState(db), codeSets: codeSets() });
  const isReady = async () => {
    stopping.throwIfAborted();
    reference.current(); // throws if the reference data may be stale
    await workflows.check();
    return isAnswering(db);
  };
  return startTelemetry({ ...at, registry, isReady });
}
