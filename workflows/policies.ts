/**
 * How long each activity may take and how it is retried: first the limit of one try, then what bounds the whole.
 * Limits, delays and retries may change at any time: a history holds what it was begun with. What decides how many
 * steps there are, and in which order, is part of every history, and is marked: HISTORY. It changes with a new form
 * only (contract/ids.ts).
 */
import type { ActivityOptions, LocalActivityOptions } from '@temporalio/workflow';
import { queueBeside } from '../contract/ids.ts';

/**
 * Database work of milliseconds: one try. What fails is tried again by the workflow (one-at-a-time.ts) until the
 * database answers; the pause is a timer, so that what waits for the database holds neither a slot of a workflow task
 * nor another statement of its execution.
 */
export const localPolicy: LocalActivityOptions = {
  startToCloseTimeout: '4s', // above the 3 s of a statement (db/pool/connection.ts): none is left behind
  retry: { maximumAttempts: 1 },
};

/**
 * Sends to a destination: SEC-5 allows 10 s, and the outcome is written down however long the database is away. The
 * activity itself counts the sends and sets the delays of TIM-3; a fault of ours is retried and counts as no send.
 */
export const forwardPolicy: ActivityOptions = {
  startToCloseTimeout: '60s',
  heartbeatTimeout: '4s', // a killed worker is noticed well before a HIGH deadline
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5s' },
  cancellationType: 'WAIT_CANCELLATION_COMPLETED', // once decided, nothing is sent again; a send that is running still gets its answer
};

/**
 * Deliveries: the activity sets the delays of CBK-1 and gives up by itself.
 * @param workflowQueue the task queue of the workflow that asks
 */
export function deliverPolicy(workflowQueue: string): ActivityOptions {
  return {
    taskQueue: queueBeside(workflowQueue, 'deliveries'),
    startToCloseTimeout: '60s',
    heartbeatTimeout: '4s',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5s' },
  };
}

/**
 * Sends to a proxy directory or a creditor agent, for no longer than the source waits. The activity itself sets
 * the delays between retries.
 * @param workflowQueue the task queue of the workflow that asks
 */
export function enquiryPolicy(workflowQueue: string, remainingMs: number): ActivityOptions {
  return {
    taskQueue: queueBeside(workflowQueue, 'enquiries'),
    scheduleToCloseTimeout: remainingMs,
    heartbeatTimeout: '2s', // a killed worker is noticed while there is time for another try
    retry: { initialInterval: '1s', backoffCoefficient: 1 },
  };
}

/**
 * Makes the books of a day; what was made before a failure stands, and the next try goes on behind it.
 * @param workflowQueue the task queue of the workflow that asks
 */
export function bookPolicy(workflowQueue: string): ActivityOptions {
  return {
    taskQueue: queueBeside(workflowQueue, 'deliveries'),
    startToCloseTimeout: '2h',
    heartbeatTimeout: '10s',
    retry: {
      initialInterval: '10s',
      backoffCoefficient: 2,
      maximumInterval: '5 minutes',
    },
    summary: 'the camt.054 of each closed day',
  };
}

/** How long the first try of a delivery to a queue is waited for; a send takes 10 s at most. */
export const oneQueueTry = '15s';

/** How long after a delivery activity failed for good, which none should, the next one starts. */
export const deliverAgainAfter = '30s';

/** An execution that its submission never reached ends after this. HISTORY: that there is such a timer. */
export const lapseAfter = '1h';
