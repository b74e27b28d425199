// Tells Temporal about something that is on record already, in parallel with the answer.
import type { Logger } from 'pino';

/** Does not wait for `passing`. If that fails, the sweep takes over. */
export function passOn(
  { logger }: { readonly logger: Logger },
  subjectId: string,
  passing: Promise<void>,
): void {
  passing.catch((error: unknown) => {
    logger.warn({ err: error, subjectId }, 'the engine could not be told; the sweep goes on with it (LIF-2)');
  });
}
