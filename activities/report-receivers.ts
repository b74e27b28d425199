// What this worker finds of its receivers (CBK-3), written down every few seconds, so that an operator sees which
// breakers are open without asking each process (OBS-7).
import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import { writeReceiverStates } from '../db/party-health.ts';
import type { OutboundHttp } from './outbound-http.ts';

const everyMs = 5_000;

export interface ReceiverReports {
  stop(): Promise<void>;
}

/** Writes until it is stopped; nothing, while there is nothing to say. A failure is made good by the next one. */
export function startReceiverReports(
  {
    db,
    http,
    workerId,
    logger,
  }: {
    readonly db: Db;
    readonly http: Pick<OutboundHttp, 'states'>;
    readonly workerId: string;
    readonly logger: Logger;
  },
  periodMs = everyMs,
): ReceiverReports {
  let running = Promise.resolve();
  let hasRows = false;
  const write = async (states: ReturnType<OutboundHttp['states']>): Promise<void> => {
    if (states.length === 0 && !hasRows) return;
    await writeReceiverStates(db, workerId, states);
    hasRows = states.length > 0;
  };
  const attempt = (states: ReturnType<OutboundHttp['states']>) => {
    running = running
      .then(() => write(states))
      .catch((error: unknown) => logger.debug({ err: error }, 'receivers could not be reported'));
  };
  let isBusy = false;
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    attempt(http.states());
    void running.then(() => (isBusy = false));
  }, periodMs);
  return {
    stop: async () => {
      clearInterval(timer);
      attempt([]);
      await running;
    },
  };
}
