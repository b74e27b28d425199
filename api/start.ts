// Assembles the api: database, reference data, authentication, Temporal, routes, server. Used by the entry file and by
// tests, which pass their own logger and task queues.
import type { Logger } from 'pino';
import type { ApiConfig } from '../core/config.ts';
import { connect, serviceLimits } from '../db/connection.ts';
import { assertNoDemoClients } from '../db/clients.ts';
import { openReferenceCache } from '../db/reference-cache.ts';
import { openXmlEngine } from '../xml/open-engine.ts';
import { createApp } from './app.ts';
import { createAuthenticator } from './auth/authenticator.ts';
import { openBuiltinIssuer } from './auth/issuer.ts';
import type { RouteModule } from './dependencies.ts';
import { startServer } from './http/server.ts';
import { iso20022Routes } from './iso20022.ts';
import { startMaintenance } from './maintenance.ts';
import { oauthRoutes } from './oauth.ts';
import { createOutcomes } from './outcomes.ts';
import { paymentRoutes } from './payments.ts';
import { redeliveryRoutes } from './redeliveries.ts';
import { resolutionRoutes } from './resolutions.ts';
import { connectTemporal, type TemporalOptions } from './temporal.ts';
import { validateRoutes } from './dry-run.ts';

export interface RunningApi {
  /** http://host:port as it is bound. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

export interface ApiOptions extends TemporalOptions {
  readonly logger: Logger;
}

/** @throws ConfigurationError or the error of the part that cannot be reached */
export async function startApi(config: ApiConfig, { logger, ...temporal }: ApiOptions): Promise<RunningApi> {
  const db = connect(config.databaseUrl, {
    applicationName: 'isthmus-api',
    maxConnections: 20,
    limits: serviceLimits,
  });
  const closers: (() => Promise<unknown>)[] = [() => db.destroy()];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    if (!config.demo || config.auth.kind === 'jwt') await assertNoDemoClients(db);
    const reference = await openReferenceCache(config.databaseUrl, (error) => {
      logger.warn({ err: error }, 'reference data could not be refreshed; trying again');
    });
    closers.push(() => reference.close());
    const engine = await openXmlEngine(config.xsdEngine);
    const workflows = await connectTemporal(config.temporal, temporal);
    closers.push(() => workflows.close());
    const issuer =
      config.auth.kind === 'builtin'
        ? await openBuiltinIssuer(db, {
            ...config.auth,
            clock: Date.now,
            reference: reference.current,
          })
        : undefined;
    const auth = createAuthenticator(config.auth, {
      reference: reference.current,
      logger,
      clock: Date.now,
      corsOrigins: config.corsOrigins,
      ...(issuer && { builtin: issuer }),
    });
    const outcomes = createOutcomes(db);
    const modules: RouteModule[] = [
      iso20022Routes({ engine, workflows, outcomes }),
      resolutionRoutes({ engine, workflows, outcomes }),
      validateRoutes(engine),
      paymentRoutes(engine),
      redeliveryRoutes(workflows),
    ];
    if (issuer !== undefined) modules.push(oauthRoutes(issuer));
    const app = createApp({
      db,
      reference,
      config,
      auth,
      logger,
      readiness: { temporal: () => workflows.check() },
      modules,
    });
    closers.push(startMaintenance(config.databaseUrl, logger));
    const server = await startServer(app, { host: config.host, port: config.port, logger });
    closers.push(() => server.close());
    const host = config.host.includes(':') ? `[${config.host}]` : config.host;
    return { url: `http://${host}:${server.port}`, close };
  } catch (error) {
    await close();
    throw error;
  }
}
