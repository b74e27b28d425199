// The dependencies of the routes, and the type of a module that declares routes. They are not in app.ts, because that
// file imports all modules.
import type { Logger } from 'pino';
import type { ApiConfig } from '../core/settings/config.ts';
import type { Capture } from '../db/pool/batch.ts';
import type { CertificateOf } from './auth/client-certificate.ts';
import type { Db } from '../db/pool/connection.ts';
import type { ReferenceCache } from '../db/scheme/reference-cache.ts';
import type { Authenticator, SignatureCheck } from './http/caller.ts';
import type { Quotas } from './http/limits/quotas.ts';
import type { Router } from './http/route.ts';

/** Resolves when the part answers; rejects if it does not. */
export type ReadinessCheck = () => Promise<unknown>;

export interface ApiDependencies {
  readonly db: Db;
  readonly reference: Pick<ReferenceCache, 'current'>;
  readonly config: ApiConfig;
  readonly auth: Authenticator;
  readonly logger: Logger;
  /** Other parts that must answer for the service to be ready, by name; the database is always checked. */
  readonly readiness?: Readonly<Record<string, ReadinessCheck>>;
  /** Traces statements that several requests share; absent: they have no span. */
  readonly capture?: Capture | undefined;
  /** Absent: signatures are not checked. */
  readonly checkSignature?: SignatureCheck;
  readonly metrics?: {
    /** @param clientId empty if there is no such client */
    failedLogin(clientId: string): void;
    /** A login was refused before its secret was checked. */
    turnedAwayLogin(clientId: string): void;
  };
  /** Default: as the configuration says, by the clock of this machine. */
  readonly certificateOf?: CertificateOf;
  /** Default: counts of this process alone. */
  readonly quotas?: Quotas;
  /** Counts per day (UTC); default: of this process alone. */
  readonly ofDay?: Quotas;
  /** Routes of other modules, e.g. ISO 20022 submission. */
  readonly modules?: readonly RouteModule[];
}

/** The dependencies, with the defaults that the app has filled in. */
export type RouteDependencies = ApiDependencies & Required<Pick<ApiDependencies, 'quotas' | 'ofDay'>>;

/** Declares its routes on the router; `router.add` checks token, role and input before the handler. */
export type RouteModule = (router: Router, deps: RouteDependencies) => void;
