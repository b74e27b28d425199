/**
 * Time limits and retries of each activity: first the limit of one try, then the limit of all tries. They may
 * change at any time, because a history keeps the values with which it began. Values that determine the
 * number or order of steps are marked HISTORY. They change only with a new version of the workflow
 * (contract/ids.ts).
 */
import type { ActivityOptions, LocalActivityOptions } from '@temporalio/workflow';
import { queueBeside } from '../contract/ids.ts';

/**
 * Database work that takes milliseconds, with one try. The workflow retries it until the database answers
 * (one-at-a-time.ts). A timer separates the retries. So a wait for the database occupies no workflow task
 * slot, and blocks no other step of its execution.
 */
export const localPolicy: LocalActivityOptions = {
  // Above the statement timeout of 3 s (db/pool/connection.ts), so that no statement outlives its activity.
  startToCloseTimeout: '4s',
  retry: { maximumAttempts: 1 },
};

/**
 * Sends to a destination. SEC-5 allows 10 s for an exchange. After that, the activity retries writing the
 * outcome for 20 s if the database is unreachable. After a final status it decides and tells the parties once;
 * if that takes too long, the next try finds the decision. The activity itself counts the sends and sets the
 * delays of TIM-3. A fault of Isthmus is retried and does not count as a send.
 */
export const forwardPolicy: ActivityOptions = {
  startToCloseTimeout: '60s',
  heartbeatTimeout: '4s', // Detects a killed worker well before a HIGH deadline.
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5s' },
  // After the decision nothing is sent again, but a running send still gets its answer.
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
};

/**
 * Deliveries. The activity itself sets the delays of CBK-1 and decides when to give up.
 * @param workflowQueue the task queue of the calling workflow
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
 * Sends to a proxy directory or a creditor agent, for as long as the source waits. The activity itself sets the delays
 * between retries.
 * @param workflowQueue the task queue of the calling workflow
 */
export function enquiryPolicy(workflowQueue: string, remainingMs: number): ActivityOptions {
  return {
    taskQueue: queueBeside(workflowQueue, 'enquiries'),
    scheduleToCloseTimeout: remainingMs,
    heartbeatTimeout: '2s', // Detects a killed worker early enough for another try.
    retry: { initialInterval: '1s', backoffCoefficient: 1 },
  };
}

/**
 * Makes the books of a day. After a failure, the next try keeps the existing pages and continues after them.
 * @param workflowQueue the task queue of the calling workflow
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

/** How long the workflow waits for the first try of a delivery to a queue. A send takes at most 10 s. */
export const oneQueueTry = '15s';

/** Pause before the next delivery activity if one has failed for good, which should not happen. */
export const deliverAgainAfter = '30s';

/** How long an execution waits for a submission that never arrives. HISTORY: that this timer exists. */
export const lapseAfter = '1h';
