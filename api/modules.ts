// The routes that need more than the database: the XML engine, Temporal, an issuer of our own. The others are app.ts's.
import { validateRoutes } from './dry-run.ts';
import type { BuiltinIssuer } from './auth/issuer.ts';
import type { RouteModule } from './dependencies.ts';
import { iso20022Routes, type Iso20022Dependencies } from './iso20022.ts';
import { oauthRoutes } from './oauth.ts';
import { paymentRoutes } from './payments.ts';
import { recordedOutcomeRoutes } from './recorded-outcomes.ts';
import { redeliveryRoutes } from './redeliveries.ts';
import { resolutionRoutes, type ResolutionDependencies } from './resolutions.ts';

/** @param issuer undefined: tokens are another's */
export function modulesOf(
  parts: Iso20022Dependencies & ResolutionDependencies,
  issuer: BuiltinIssuer | undefined,
): readonly RouteModule[] {
  const { engine, workflows } = parts;
  return [
    iso20022Routes(parts),
    resolutionRoutes(parts),
    validateRoutes(engine),
    paymentRoutes(engine),
    redeliveryRoutes(workflows),
    recordedOutcomeRoutes(parts),
    ...(issuer === undefined ? [] : [oauthRoutes(issuer)]),
  ];
}
