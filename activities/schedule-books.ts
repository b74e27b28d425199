// Sees to it that there is a Temporal schedule that sends the books of each day (REC-2); tries again until the engine has
// answered.
import type { Logger } from 'pino';
import type { Executions } from './sweep/executions.ts';

const againMs = 30_000;

/** @returns how to stop it */
export function startBookSchedule(
  executions: Pick<Executions, 'scheduleBooks'>,
  logger: Logger,
): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();
  function begin(): void {
    running = executions.scheduleBooks().catch((error: unknown) => {
      logger.warn({ err: error }, 'the schedule of the daily books could not be made; trying again');
      if (!isStopped) timer = setTimeout(begin, againMs);
    });
  }
  begin();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await running;
  };
}
