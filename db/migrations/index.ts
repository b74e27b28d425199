// All migrations by name. The list is static, so that a bundled build includes them.
import type { Migration } from 'kysely/migration';
import * as baseline from './0001-baseline.ts';
import * as portalSessions from './0002-portal-sessions.ts';
import * as endpointTrials from './0003-endpoint-trials.ts';
import * as refusedSignatures from './0004-refused-signatures.ts';
import * as rateIds from './0005-rate-ids.ts';

export const migrations: Record<string, Migration> = {
  '0001-baseline': baseline,
  '0002-portal-sessions': portalSessions,
  '0003-endpoint-trials': endpointTrials,
  '0004-refused-signatures': refusedSignatures,
  '0005-rate-ids': rateIds,
};
