// Records every few seconds that this worker runs, and the state of its receivers. So an operator sees whether any
// worker runs and which breakers are open, without asking each process.
import type { Logger } from 'pino';
import type { WorkerConfig } from '../../core/settings/config.ts';
import type { Db } from '../../db/pool/connection.ts';
import { forgetWorker, writeReceiverStates } from '../../db/deliveries/party-health.ts';
import type { Outbound } from '../wire/outbound.ts';

const everyMs = 5_000;

export interface ReceiverReports {
  stop(): Promise<void>;
}

/** Writes until it is stopped. The next write makes up for a failed one. */
export function startReceiverReports(
  {
    db,
    outbound,
    workerId,
    logger,
    serves,
  }: {
    readonly db: Db;
    readonly outbound: Pick<Outbound, 'states'>;
    readonly workerId: string;
    readonly logger: Logger;
    readonly serves: WorkerConfig['serves'];
  },
  periodMs = everyMs,
): ReceiverReports {
  let running = Promise.resolve();
  const attempt = (write: () => Promise<void>) => {
    running = running
      .then(write)
      .catch((error: unknown) => logger.debug({ err: error }, 'receivers could not be reported'));
  };
  let isBusy = false;
  const report = () => {
    if (isBusy) return;
    isBusy = true;
    attempt(() => writeReceiverStates(db, workerId, outbound.states(), serves !== 'amqp'));
    void running.then(() => (isBusy = false));
  };
  report();
  const timer = setInterval(report, periodMs);
  return {
    stop: async () => {
      clearInterval(timer);
      attempt(() => forgetWorker(db, workerId));
      await running;
    },
  };
}
