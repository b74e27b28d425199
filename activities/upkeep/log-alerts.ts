// Logs every stored alert with level error, and every stored security event with level warn. Each is logged
// at least once, whichever process wrote it, unless no worker ran for a day.
import { findUnloggedAlerts, markLogged } from '../../db/records/cases.ts';
import { takeLease } from '../../db/pool/leases.ts';
import { repeat } from '../../db/pool/repeat.ts';
import type { ActivityDependencies } from '../dependencies.ts';

type Dependencies = Pick<ActivityDependencies, 'db' | 'workerId' | 'logger'>;

const everyMs = 2_000;
const leaseMs = 10_000;

/** @returns a function that stops the logging */
export function logAlerts(deps: Dependencies): () => Promise<void> {
  return repeat(async () => {
    await logOnce(deps).catch((error: unknown) =>
      deps.logger.warn({ err: error }, 'alerts could not be logged yet'),
    );
    return everyMs;
  });
}

async function logOnce({ db, workerId, logger }: Dependencies): Promise<void> {
  const { isOurs } = await takeLease(db, { name: 'alert-log', holder: workerId, forMs: leaseMs });
  if (!isOurs) return;
  const alerts = await findUnloggedAlerts(db);
  for (const { severity, ...alert } of alerts) {
    if (severity === 'alert') logger.error(alert, 'alert');
    else logger.warn(alert, 'security event');
  }
  const ids = alerts.map(({ alertId }) => alertId);
  if (ids.length > 0) await markLogged(db, ids);
}
