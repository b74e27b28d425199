// What is on record already is passed on to the engine beside the answer, not before it.
import type { Logger } from 'pino';

/** Not awaited; if it fails, the sweep takes over. */
export function passOn(
  { logger }: { readonly logger: Logger },
  subjectId: string,
  passing: Promise<void>,
): void {
  passing.catch((error: unknown) => {
    logger.warn({ err: error, subjectId }, 'the engine could not be told; the sweep goes on with it (LIF-2)');
  });
}
