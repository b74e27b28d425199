// Limits of the database for gateways under test: on a busy machine connecting takes seconds. Tests of the limits have
// those of the service.
import { serviceLimits, type ConnectionLimits } from '../../db/pool/connection.ts';
import type { ReferenceLimits } from '../../db/scheme/reference-cache.ts';

const patientMs = 20_000;

/** For what the tests themselves ask of the database. */
export const patientConnects = { connectMs: 60_000, waitMs: 60_000 };

export const patientDatabase: ConnectionLimits = {
  ...serviceLimits,
  connectMs: patientMs,
  waitMs: patientMs,
};

/** For an api alone: a local activity of a worker would give up before. */
export const patientStatements = { lockMs: patientMs, statementMs: patientMs, answerMs: patientMs };

export const patientReference: ReferenceLimits = {
  pingMs: 500,
  silenceMs: patientMs,
  retryMs: 250,
  staleMs: 2 * patientMs,
};
