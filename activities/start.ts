// Puts the worker together: database, reference data, XML engine, outbound HTTP, the three task queues. Used by the
// entry and by tests, which bring their own logger and their own task queues.
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { WorkerConfig } from '../core/config.ts';
import { connect, serviceLimits } from '../db/connection.ts';
import { openReferenceCache, type ReferenceCache } from '../db/reference-cache.ts';
import type { XmlEngine } from '../xml/engine.ts';
import { openXmlEngine } from '../xml/open-engine.ts';
import { createOutboundHttp } from './outbound-http.ts';
import { runWorkers, type RunningWorkers, type WorkerOptions } from './worker.ts';

export interface WorkerStart extends Pick<
  WorkerOptions,
  'workflowBundle' | 'taskQueuePrefix' | 'maxCachedWorkflows' | 'sweep'
> {
  readonly logger: Logger;
  /** Tests bring one that fails; else the one of the configuration. */
  readonly engine?: XmlEngine;
}

/** @throws the error of the part that cannot be reached */
export async function startWorker(config: WorkerConfig, start: WorkerStart): Promise<RunningWorkers> {
  const { logger, engine, ...options } = start;
  const db = connect(config.databaseUrl, {
    applicationName: 'isthmus-worker',
    maxConnections: 20,
    limits: serviceLimits,
  });
  const http = createOutboundHttp({ allowLoopback: config.allowLoopbackCallbacks });
  let reference: ReferenceCache | undefined;
  try {
    reference = await openReferenceCache(config.databaseUrl, (error) => {
      logger.warn({ err: error }, 'reference data could not be refreshed; trying again');
    });
    const workers = await runWorkers(
      {
        db,
        reference: reference.current,
        engine: engine ?? (await openXmlEngine(config.xsdEngine)),
        http,
        publicUrl: config.publicUrl,
        allowLoopbackCallbacks: config.allowLoopbackCallbacks,
        logger,
        workerId: randomUUID(),
      },
      { ...config.temporal, ...options },
    );
    const finished = workers.finished.finally(async () => {
      await reference?.close();
      await http.close();
      await db.destroy();
    });
    return {
      finished,
      shutdown: async () => {
        await workers.shutdown();
        await finished;
      },
    };
  } catch (error) {
    await reference?.close();
    await http.close();
    await db.destroy();
    throw error;
  }
}
