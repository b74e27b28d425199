// Records every few seconds that this worker runs, and the state of its receivers. So an operator can see
// whether any worker runs and which breakers are open, without asking each process.
import type { WorkerConfig } from '../../core/settings/config.ts';
import { forgetWorker, writeReceiverStates } from '../../db/deliveries/party-health.ts';
import { repeat } from '../../db/pool/repeat.ts';
import type { ActivityDependencies } from '../dependencies.ts';

const everyMs = 5_000;

/**
 * Starts the reports. A failed write needs no retry, because the next report replaces it.
 * @returns a function that stops the reports
 */
export function reportReceivers(
  { db, outbound, workerId, logger }: Pick<ActivityDependencies, 'db' | 'outbound' | 'workerId' | 'logger'>,
  serves: WorkerConfig['serves'],
): () => Promise<void> {
  const notReported = (error: unknown) => logger.debug({ err: error }, 'receivers could not be reported');
  const stop = repeat(async () => {
    await writeReceiverStates(db, workerId, outbound.states(), serves !== 'amqp').catch(notReported);
    return everyMs;
  });
  return async () => {
    await stop();
    await forgetWorker(db, workerId).catch(notReported);
  };
}
