// Raises an alert about a lasting shortage of resources in this process (own-lacks.ts). Such a shortage uses
// up no attempt and ends no delivery, so payments and deliveries would wait unnoticed. Each worker watches
// only itself.
import { alertUnlessOpen } from '../../db/records/audit.ts';
import { repeat } from '../../db/pool/repeat.ts';
import type { ActivityDependencies } from '../dependencies.ts';

type Watching = Pick<ActivityDependencies, 'db' | 'outbound' | 'logger'>;

const everyMs = 60_000;
const mostNamed = 3; // With more receivers, the whole machine lacks resources.

/** @returns a function that stops the watch */
export function watchLacks(deps: Watching): () => Promise<void> {
  return repeat(async () => {
    await tellOfLacks(deps).catch((error: unknown) =>
      deps.logger.warn({ err: error }, 'a shortage of our own resources could not be reported; trying again'),
    );
    return everyMs;
  });
}

/**
 * Raises one alert per receiver, or one for several receivers, until an operator closes it.
 * @internal exported for tests
 */
export async function tellOfLacks({ db, outbound }: Omit<Watching, 'logger'>): Promise<void> {
  const receivers = outbound.lastingLacks();
  if (receivers.length === 0) return;
  for (const receiver of receivers.length > mostNamed ? ['several'] : receivers)
    await alertUnlessOpen(db, { kind: 'worker.own-resources', detail: { receiver } });
}
