// The Temporal schedule that sends the books of each day (REC-2). It is made once; operators may pause it or trigger it
// in Temporal's UI: what is sent is on record, so that no trigger sends anything twice, and a missed one loses no day.
import { Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy, type ConnectionLike } from '@temporalio/client';
import type { Logger } from 'pino';
import { dailyBooksScheduleId, taskQueues, workflowTypes } from '../contract/ids.ts';

/** A day is closed a minute after its end (REC-2). */
const at = { hour: 0, minute: 2 };
const againMs = 30_000;

export interface BookSchedule {
  readonly namespace: string;
  readonly taskQueuePrefix?: string | undefined;
  readonly logger: Logger;
}

/**
 * Makes it unless it is there; tries again until the engine has answered.
 * @returns how to stop that
 */
export function startBookSchedule(
  connection: ConnectionLike,
  { namespace, taskQueuePrefix = '', logger }: BookSchedule,
): () => Promise<void> {
  const { schedule } = new Client({ connection, namespace });
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();
  async function make(): Promise<void> {
    try {
      await schedule.create({
        scheduleId: `${taskQueuePrefix}${dailyBooksScheduleId}`,
        spec: { calendars: [at] },
        policies: { overlap: ScheduleOverlapPolicy.BUFFER_ONE, catchupWindow: '3 days' },
        action: {
          type: 'startWorkflow',
          workflowType: workflowTypes.dailyBooks,
          workflowId: `${taskQueuePrefix}books`,
          taskQueue: `${taskQueuePrefix}${taskQueues.payments}`,
        },
      });
    } catch (error) {
      if (error instanceof ScheduleAlreadyRunning) return;
      logger.warn({ err: error }, 'the schedule of the daily books could not be made; trying again');
      if (!isStopped) timer = setTimeout(begin, againMs);
    }
  }
  function begin(): void {
    running = make();
  }
  begin();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await running;
  };
}
