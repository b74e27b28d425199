// Assembles the worker: database, reference data, XML engine, outbound connections and task queues. The entry
// file uses it, and so do tests, which pass their own logger and task queues.
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { WorkerConfig } from '../core/settings/config.ts';
import { codeSets } from '../core/iso20022/external-codes.ts';
import {
  connect,
  isAnswering,
  poolState,
  serviceLimits,
  servicePoolSize,
  type ConnectionLimits,
} from '../db/pool/connection.ts';
import { openReferenceCache, tellStale, type ReferenceLimits } from '../db/scheme/reference-cache.ts';
import { tellOfSealing } from '../db/keys/sealing-state.ts';
import { beginSealing, openVault } from '../db/keys/vault.ts';
import type { XmlEngine } from '../xml/engine.ts';
import { openCodeSets } from '../xml/open-code-sets.ts';
import { openCheckedEngine } from './upkeep/check-samples.ts';
import { createOutbound } from './wire/outbound.ts';
import { addProcessMetrics } from '../telemetry/process-metrics.ts';
import { startTelemetry } from '../telemetry/server.ts';
import { traceStatements } from '../telemetry/traces.ts';
import { createWorkerMetrics } from '../telemetry/worker-metrics.ts';
import { openSigner } from './wire/signer.ts';
import { createSteps } from './steps.ts';
import { runWorkers, type RunningWorkers, type WorkerOptions } from './worker.ts';

export interface WorkerStart extends Pick<
  WorkerOptions,
  'workflowBundle' | 'taskQueuePrefix' | 'maxCachedWorkflows' | 'sweep' | 'traces'
> {
  readonly logger: Logger;
  /** Replaces the configured engine. Tests pass an engine that fails. */
  readonly engine?: XmlEngine;
  /** Metrics of the core of the Temporal SDK, as text, to append to the worker's metrics. */
  readonly sdkMetrics?: () => Promise<string>;
  /** Default: those of the service. */
  readonly databaseLimits?: ConnectionLimits;
  readonly referenceLimits?: ReferenceLimits;
}

export interface RunningWorker extends RunningWorkers {
  readonly metricsPort?: number;
}

export async function startWorker(config: WorkerConfig, start: WorkerStart): Promise<RunningWorker> {
  const { logger, engine: given, sdkMetrics, referenceLimits, ...options } = start;
  const db = openDatabase(config, start);
  const outbound = openOutbound(config);
  const metrics = createWorkerMetrics();
  metrics.watchReceivers(() => outbound.states());
  let workers: RunningWorkers | undefined;
  const isReady = async () =>
    (await Promise.all([isAnswering(db), workers?.isReady() ?? false])).every(Boolean);
  const closers: (() => Promise<unknown>)[] = [() => db.destroy(), () => outbound.close()];
  const close = async () => {
    for (const closeOne of closers.toReversed()) await closeOne();
  };
  try {
    // Everything that can fail at the start comes before the process takes work.
    openCodeSets(config.codeSetsDirectory);
    if (config.metrics)
      addProcessMetrics(metrics.registry, { pool: () => poolState(db), codeSets: codeSets() });
    const telemetry =
      config.metrics &&
      (await startTelemetry({
        ...config.metrics,
        registry: metrics.registry,
        isReady,
        ...(sdkMetrics && { further: sdkMetrics }),
      }));
    if (telemetry !== undefined) closers.push(() => telemetry.close());
    await beginSealing(db);
    // This blocks the event loop, so it comes before anything that must respond in time.
    const engine = await openCheckedEngine(config, { db, logger, metrics, given, closers });
    const reference = await openReferenceCache(config.databaseUrl, tellStale(logger), referenceLimits);
    closers.push(() => reference.close());
    const keys = { rotateAfterDays: config.deliveryKeyDays, reference: reference.current, logger };
    const signer = await openSigner(db, keys);
    closers.push(() => signer.close());
    await tellOfSealing(db, logger);
    workers = await runWorkers(
      {
        db,
        reference: reference.current,
        engine,
        outbound,
        signer,
        publicUrl: config.publicUrl,
        allowLoopbackCallbacks: config.allowLoopbackCallbacks,
        logger,
        steps: createSteps(logger, metrics),
        workerId: randomUUID(),
        traces: options.traces,
      },
      {
        ...config.temporal,
        ...options,
        serves: config.serves,
        onFound: (kind, count) => metrics.swept(kind, count),
      },
    );
    const running = workers;
    const finished = running.finished.finally(close);
    return {
      finished,
      isReady,
      shutdown: () => running.shutdown().then(() => finished),
      ...(telemetry && { metricsPort: telemetry.port }),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const openDatabase = (
  config: WorkerConfig,
  { logger, traces, databaseLimits = serviceLimits }: WorkerStart,
) =>
  connect(config.databaseUrl, {
    applicationName: 'isthmus-worker',
    maxConnections: servicePoolSize,
    limits: databaseLimits,
    trace: traces && traceStatements(traces),
    vault: openVault(config.sealing, logger),
  });

const openOutbound = ({
  allowLoopbackCallbacks: allowLoopback,
  serves,
  queueLogins = new Map(),
  receiverCertificates: certificates,
}: WorkerConfig) =>
  createOutbound({
    allowLoopback,
    ...(serves !== 'payments' && { logins: queueLogins }),
    ...(certificates && { certificates }),
  });
