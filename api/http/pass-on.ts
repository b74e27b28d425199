// What the record has answered already is passed on to the engine beside the answer, not before it (DUP-1).
import type { Logger } from 'pino';

/** Nobody waits for it; what could not be passed on is found by the sweep (LIF-2). */
export function passOn({ logger }: { readonly logger: Logger }, passing: Promise<void>): void {
  passing.catch((error: unknown) => {
    logger.warn({ err: error }, 'an enquiry was answered from the record, but could not be passed on');
  });
}
