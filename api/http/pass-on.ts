// If a request was answered from the record, the engine is notified in parallel, not before the answer (DUP-1).
import type { Logger } from 'pino';

/** Not awaited; if it fails, the sweep takes over (LIF-2). */
export function passOn({ logger }: { readonly logger: Logger }, passing: Promise<void>): void {
  passing.catch((error: unknown) => {
    logger.warn({ err: error }, 'an enquiry was answered from the record, but could not be passed on');
  });
}
