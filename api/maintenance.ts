// What the api does beside requests: quotes have the partitions of the coming days, and those of 62 days ago are dropped
// (QUO-10). Any api does it, several at once too; on a connection of its own, for it may take longer than a request.
import type { Logger } from 'pino';
import { connect } from '../db/connection.ts';
import { dropOldQuotePartitions, ensureQuotePartitions } from '../db/partitions.ts';

const hourMs = 3_600_000;
const answerMs = 15_000; // a statement has 10 s: after that the host has vanished

/**
 * Starts at once and goes on every hour: an api that is often restarted does it too.
 * @returns ends it, when what is under way has ended
 */
export function startMaintenance(databaseUrl: string, logger: Logger): () => Promise<void> {
  let running = Promise.resolve();
  const maintain = async () => {
    const db = connect(databaseUrl, {
      applicationName: 'isthmus-maintenance',
      maxConnections: 1,
      limits: { answerMs },
    });
    try {
      const { moved, failed: unmade } = await ensureQuotePartitions(db);
      for (const { day, rows } of moved) logger.warn({ day, rows }, 'quotes had come before their partition');
      const { dropped, failed: undropped } = await dropOldQuotePartitions(db);
      if (dropped.length > 0) logger.info({ dropped }, 'old quotes dropped');
      for (const { what, error } of [...unmade, ...undropped]) {
        logger.error(
          { err: error, what },
          'a quote partition could not be maintained; trying again in an hour',
        );
      }
    } catch (error) {
      logger.error({ err: error }, 'quote partitions could not be maintained; trying again in an hour');
    } finally {
      await db.destroy();
    }
  };
  const next = () => {
    running = running.then(maintain);
  };
  next();
  const timer = setInterval(next, hourMs).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
