// Background work of the api: creates the next partitions and drops quotes that are older than 62 days. Every
// api process does this, even several at the same time. It uses a separate connection, because it may take
// longer than a request.
import type { Logger } from 'pino';
import { connect } from '../../db/pool/connection.ts';
import { dropOldQuotePartitions, ensurePartitions } from '../../db/records/partitions.ts';

const hourMs = 3_600_000;
const answerMs = 15_000; // statements end within 10 s, so after 15 s the host is unreachable

/**
 * Runs at once and then every hour, so that an api that often restarts also does the work.
 * @returns a function that stops the schedule after the current run
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
      const { moved, failed: unmade } = await ensurePartitions(db);
      for (const rows of moved) logger.warn(rows, 'rows had come before their partition');
      const { dropped, failed: undropped } = await dropOldQuotePartitions(db);
      if (dropped.length > 0) logger.info({ dropped }, 'old quotes dropped');
      for (const { what, error } of [...unmade, ...undropped]) {
        logger.error({ err: error, what }, 'a partition could not be maintained; trying again in an hour');
      }
    } catch (error) {
      logger.error({ err: error }, 'partitions could not be maintained; trying again in an hour');
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
