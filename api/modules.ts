// The routes that need more than the database: the XML engine, Temporal or the built-in issuer. app.ts lists the
// others.
import { validateRoutes } from './payments/dry-run.ts';
import type { BuiltinIssuer } from './auth/issuer.ts';
import type { RouteModule } from './dependencies.ts';
import { iso20022Routes, type Iso20022Dependencies } from './payments/iso20022.ts';
import { issuerKeyRoutes } from './keys/issuer-keys.ts';
import { oauthRoutes } from './oauth.ts';
import { portalRoutes } from './portal/portal.ts';
import { paymentRoutes } from './payments/payments.ts';
import { recordedOutcomeRoutes } from './operations/recorded-outcomes.ts';
import { redeliveryRoutes } from './operations/redeliveries.ts';
import { resolutionRoutes, type ResolutionDependencies } from './resolutions/resolutions.ts';

type Parts = Iso20022Dependencies & ResolutionDependencies;

/** @param issuer undefined if an external issuer makes the tokens */
export function modulesOf(parts: Parts, issuer: BuiltinIssuer | undefined): readonly RouteModule[] {
  const { engine, workflows } = parts;
  return [
    iso20022Routes(parts),
    resolutionRoutes(parts),
    validateRoutes(engine),
    paymentRoutes(engine),
    redeliveryRoutes(workflows),
    recordedOutcomeRoutes(parts),
    portalRoutes(issuer),
    ...(issuer === undefined ? [] : [oauthRoutes(issuer), issuerKeyRoutes(issuer)]),
  ];
}
