// Raises an alert if this worker lacks a key of SEALING_KEYS. Messages that it cannot open are left to a worker that
// can. Nothing fails, so without the alert payments and deliveries would wait unnoticed.
import { alertUnlessOpen } from '../../db/records/audit.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { outlast } from '../failures.ts';

const toldForMs = 10_000; // minimum interval between alerts, because each attempt meets the lack
const toldAtMs = new Map<string, number>();

/**
 * Raises one alert for each worker and key, until an operator closes it. The worker's log shows which process it is.
 * @param keyId undefined: the worker has no key for sealing
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
