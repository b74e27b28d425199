// The routes that need more than the database: the XML engine, Temporal, an issuer of our own. The others are app.ts's.
import type { SealingCodec } from '../contract/payload-codec.ts';
import { validateRoutes } from './dry-run.ts';
import type { BuiltinIssuer } from './auth/issuer.ts';
import type { RouteModule } from './dependencies.ts';
import { iso20022Routes, type Iso20022Dependencies } from './iso20022.ts';
import { payloadCodecRoutes } from './payload-codec.ts';
import { issuerKeyRoutes } from './issuer-keys.ts';
import { oauthRoutes } from './oauth.ts';
import { paymentRoutes } from './payments.ts';
import { recordedOutcomeRoutes } from './recorded-outcomes.ts';
import { redeliveryRoutes } from './redeliveries.ts';
import { resolutionRoutes, type ResolutionDependencies } from './resolutions.ts';

type Parts = Iso20022Dependencies &
  ResolutionDependencies & {
    /** Absent: what goes to Temporal is not sealed. */
    readonly codec?: SealingCodec | undefined;
  };

/** @param issuer undefined: tokens are another's */
export function modulesOf(parts: Parts, issuer: BuiltinIssuer | undefined): readonly RouteModule[] {
  const { engine, workflows } = parts;
  return [
    iso20022Routes(parts),
    resolutionRoutes(parts),
    validateRoutes(engine),
    paymentRoutes(engine),
    redeliveryRoutes(workflows),
    recordedOutcomeRoutes(parts),
    payloadCodecRoutes(parts.codec),
    ...(issuer === undefined ? [] : [oauthRoutes(issuer), issuerKeyRoutes(issuer)]),
  ];
}
