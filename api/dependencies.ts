// The dependencies of the routes, and the type of a module that declares routes. They are in a separate file,
// because app.ts imports all modules.
import type { Logger } from 'pino';
import type { ApiConfig } from '../core/settings/config.ts';
import type { Capture } from '../db/pool/batch.ts';
import type { CertificateOf } from './auth/client-certificate.ts';
import type { Db } from '../db/pool/connection.ts';
import type { ReferenceCache } from '../db/scheme/reference-cache.ts';
import type { Authenticator, SignatureCheck } from './http/caller.ts';
import type { Quotas } from './http/limits/quotas.ts';
import type { Router } from './http/route.ts';

/** Checks one part of the service. Resolves if the part answers, and rejects if it does not. */
export type ReadinessCheck = () => Promise<unknown>;

export interface ApiDependencies {
  readonly db: Db;
  readonly reference: Pick<ReferenceCache, 'current'>;
  readonly config: ApiConfig;
  readonly auth: Authenticator;
  readonly logger: Logger;
  /** Readiness checks of other parts, by name. The database is always checked. */
  readonly readiness?: Readonly<Record<string, ReadinessCheck>>;
  /** Traces database statements that several requests share. If absent, these statements have no span. */
  readonly capture?: Capture | undefined;
  /** If absent, signatures are not checked. */
  readonly checkSignature?: SignatureCheck;
  readonly metrics?: {
    /** @param clientId empty if there is no such client */
    failedLogin(clientId: string): void;
    /** Counts a login that was refused before its secret was checked. */
    turnedAwayLogin(clientId: string): void;
  };
  /** Default: follows the configuration and uses the clock of this machine. */
  readonly certificateOf?: CertificateOf;
  /** Counts per minute. Default: the counts of this process alone. */
  readonly quotas?: Quotas;
  /** Counts per day (UTC). Default: the counts of this process alone. */
  readonly ofDay?: Quotas;
  /** Routes of other modules, such as ISO 20022 submission. */
  readonly modules?: readonly RouteModule[];
}

/** The dependencies after the app has filled in the defaults. */
export type RouteDependencies = ApiDependencies & Required<Pick<ApiDependencies, 'quotas' | 'ofDay'>>;

/** Declares routes on the router. `router.add` checks token, role and input before the handler runs. */
export type RouteModule = (router: Router, deps: RouteDependencies) => void;
