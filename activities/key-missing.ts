// Tells somebody that this worker lacks a key of SEALING_KEYS: what it cannot open is left to a worker that can, and nothing
// ends by it, so that payments and deliveries would wait without a word (SEC-3, TIM-3, OBS-6).
import { alertUnlessOpen } from '../db/audit.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { outlast } from './failures.ts';

/** One alert for each worker and key, until an operator closes it; its log says which process it is. */
export async function tellKeyMissing(
  { db, logger, workerId }: Pick<ActivityDependencies, 'db' | 'logger' | 'workerId'>,
  keyId: string | undefined,
): Promise<void> {
  if (keyId === undefined) return;
  const isNew = await outlast(() =>
    alertUnlessOpen(db, { kind: 'worker.sealing-key-missing', detail: { workerId, keyId } }),
  );
  if (isNew) logger.error({ workerId, keyId }, 'this worker lacks a key of SEALING_KEYS');
}
