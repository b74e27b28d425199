// Distinguishes a part that does not answer (503, try again) from a defect of the service (500).
import { isDatabaseFailure } from '../../../db/pool/failures.ts';
import { problem, type Problem } from './problem.ts';

/** Error codes of failed connections to parts other than the database. */
const socketCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN']);

/** Temporal did not answer in time. Stored data is safe, and the client may send the same request again. */
export class TemporalUnavailable extends Error {
  override readonly name = 'TemporalUnavailable';
}

/**
 * Temporal answers, but no worker does. Its stack need not be logged, because the message says everything.
 */
export class WorkersAway extends TemporalUnavailable {}

/** Whether a part of the service could not be reached, or asked for a retry. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof TemporalUnavailable || isDatabaseFailure(error)) return true;
  return error instanceof Error && 'code' in error && socketCodes.has(String(error.code));
}

/** Returns 503 if a part does not answer, otherwise 500. The answer does not reveal the reason. */
export function failureOf(error: unknown): Problem {
  return problem(isUnavailable(error) ? 'unavailable' : 'internal');
}
