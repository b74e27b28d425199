// Tells a part that does not answer (503, try again) from a defect of ours (500).
import { isDatabaseFailure } from '../db/failures.ts';

/** Temporal did not answer in time; what was stored is not lost, and the same request may be sent again. */
export class TemporalUnavailable extends Error {
  override readonly name = 'TemporalUnavailable';
}

/** Whether the error says that a part could not be reached or asked for another try. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof TemporalUnavailable || isDatabaseFailure(error);
}
