// Tells a part that does not answer (503, try again) from a defect of ours (500).
import { isDatabaseFailure } from '../../db/failures.ts';
import { problem, type Problem } from './problem.ts';

/** Of a part other than the database. */
const socketCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN']);

/** Temporal did not answer in time; what was stored is not lost, and the same request may be sent again. */
export class TemporalUnavailable extends Error {
  override readonly name = 'TemporalUnavailable';
}

/** Temporal answers, and no worker does the work: the message says all there is to know. */
export class WorkersAway extends TemporalUnavailable {}

/** Whether the error says that a part could not be reached or asked for another try. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof TemporalUnavailable || isDatabaseFailure(error)) return true;
  return error instanceof Error && 'code' in error && socketCodes.has(String(error.code));
}

/** 503 where a part does not answer, else 500; the caller is told nothing of the reason (SEC-4). */
export function failureOf(error: unknown): Problem {
  return problem(isUnavailable(error) ? 'unavailable' : 'internal');
}
