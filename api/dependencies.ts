// The dependencies of the routes, and the type of a module that declares some; apart from the app, which imports them
// all.
import type { Logger } from 'pino';
import type { ApiConfig } from '../core/settings/config.ts';
import type { Capture } from '../db/pool/batch.ts';
import type { CertificateOf } from './auth/client-certificate.ts';
import type { Db } from '../db/pool/connection.ts';
import type { ReferenceCache } from '../db/scheme/reference-cache.ts';
import type { Authenticator, SignatureCheck } from './http/caller.ts';
import type { Quotas } from './http/quotas.ts';
import type { Router } from './http/route.ts';

/** Resolves when the part answers. */
export type ReadinessCheck = () => Promise<unknown>;

export interface ApiDependencies {
  readonly db: Db;
  readonly reference: Pick<ReferenceCache, 'current'>;
  readonly config: ApiConfig;
  readonly auth: Authenticator;
  readonly logger: Logger;
  /** Other parts that must answer for the service to be ready, by name; the database is always checked. */
  readonly readiness?: Readonly<Record<string, ReadinessCheck>>;
  /** For statements that requests share; absent: none of them has a span. */
  readonly capture?: Capture | undefined;
  /** Absent: nobody signs. */
  readonly checkSignature?: SignatureCheck;
  readonly metrics?: {
    /** @param clientId empty: of nobody that there is */
    failedLogin(clientId: string): void;
    /** Its secret was not looked at. */
    turnedAwayLogin(clientId: string): void;
  };
  /** Default: as the configuration says, by the clock of this machine. */
  readonly certificateOf?: CertificateOf;
  /** Default: of this process alone. */
  readonly quotas?: Quotas;
  /** What is counted by the day (UTC); default: of this process alone. */
  readonly ofDay?: Quotas;
  /** Routes of other modules, e.g. ISO 20022 submission. */
  readonly modules?: readonly RouteModule[];
}

/** What the app has filled in. */
export type RouteDependencies = ApiDependencies & Required<Pick<ApiDependencies, 'quotas' | 'ofDay'>>;

/** Declares its routes on the router; `router.add` checks token, role and input before the handler. */
export type RouteModule = (router: Router, deps: RouteDependencies) => void;
