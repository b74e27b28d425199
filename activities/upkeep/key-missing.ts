// Tells somebody that this worker lacks a key of SEALING_KEYS: what it cannot open is left to a worker that can, and nothing
// ends by it, so that payments and deliveries would wait without a word.
import { alertUnlessOpen } from '../../db/records/audit.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { outlast } from '../failures.ts';

const toldForMs = 10_000; // each attempt meets it
const toldAtMs = new Map<string, number>();

/**
 * One alert for each worker and key, until an operator closes it; its log says which process it is.
 * @param keyId undefined: it has no key to sign by
 */
export async function tellKeyMissing(
  { db, logger, workerId }: Pick<ActivityDependencies, 'db' | 'logger' | 'workerId'>,
  keyId: string | undefined,
): Promise<void> {
  const what = `${workerId} ${keyId ?? ''}`;
  if (performance.now() - (toldAtMs.get(what) ?? -Infinity) < toldForMs) return;
  const detail = keyId === undefined ? { workerId } : { workerId, keyId };
  const isNew = await outlast(() => alertUnlessOpen(db, { kind: 'worker.sealing-key-missing', detail }));
  toldAtMs.set(what, performance.now());
  if (isNew) logger.error(detail, 'this worker lacks a key of SEALING_KEYS');
}
