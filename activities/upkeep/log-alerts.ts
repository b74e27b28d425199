// Logs every alert of the record with level error, and every security event with level warn. One worker at a time looks
// for unlogged alerts of the last day. Each alert is logged at least once, whichever process wrote it. An alert that is
// older, because no worker ran for a day, is not logged.
import type { Logger } from 'pino';
import type { Db } from '../../db/pool/connection.ts';
import { findUnloggedAlerts, markLogged } from '../../db/records/cases.ts';
import { takeLease } from '../../db/pool/leases.ts';

const everyMs = 2_000;
const leaseMs = 10_000;

export interface AlertLog {
  stop(): Promise<void>;
}

export function startAlertLog(
  { db, workerId, logger }: { readonly db: Db; readonly workerId: string; readonly logger: Logger },
  periodMs = everyMs,
): AlertLog {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  async function once(): Promise<void> {
    const { isOurs } = await takeLease(db, { name: 'alert-log', holder: workerId, forMs: leaseMs });
    if (!isOurs) return;
    const alerts = await findUnloggedAlerts(db);
    for (const { severity, ...alert } of alerts) {
      if (severity === 'alert') logger.error(alert, 'alert');
      else logger.warn(alert, 'security event');
    }
    if (alerts.length > 0)
      await markLogged(
        db,
        alerts.map(({ alertId }) => alertId),
      );
  }
  let running = Promise.resolve();
  function next(): void {
    running = once().catch((error: unknown) => logger.warn({ err: error }, 'alerts could not be logged yet'));
    void running.then(() => {
      if (!isStopped) timer = setTimeout(next, periodMs);
    });
  }
  next();
  return {
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
