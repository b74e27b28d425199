/** The steps by which every workflow brings due deliveries to their receivers. */
import {
  ActivityFailure,
  proxyActivities,
  sleep,
  workflowInfo,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { DeliveryActivities } from '../contract/activities.ts';
import { queueBeside } from '../contract/ids.ts';
import { deliverAgainAfter, deliverPolicy, oneQueueTry } from './policies.ts';

/**
 * Attempts the due deliveries of a payment or resolution until each is acknowledged or given up.
 * @param subjectId UETR of the payment, or id of the resolution
 * @param summary text for operators in the Temporal UI
 * @param beforePause runs when the activity has failed for good, which should not happen
 */
export async function tellAll(
  subjectId: string,
  summary?: string,
  beforePause?: () => Promise<void>,
): Promise<void> {
  while (!(await delivered(subjectId, deliverPolicy(workflowInfo().taskQueue), summary))) {
    await beforePause?.();
    await sleep(deliverAgainAfter, { summary: 'deliveries that failed are tried again' });
  }
}

/**
 * Like tellAll, with one try, which is enough for most receivers. It is on the queue of the workflow, so that
 * Temporal dispatches it eagerly.
 * @returns whether each delivery is acknowledged or given up
 */
export function tellOnce(subjectId: string, summary: string): Promise<boolean> {
  const { taskQueue } = workflowInfo();
  const policy = { ...deliverPolicy(taskQueue), taskQueue, retry: { maximumAttempts: 1 } };
  return delivered(subjectId, policy, summary);
}

const amqpQueue = () => queueBeside(workflowInfo().taskQueue, 'amqp');

async function delivered(subjectId: string, policy: ActivityOptions, summary?: string): Promise<boolean> {
  const options = { ...policy, ...(summary !== undefined && { summary }) };
  const { deliver } = proxyActivities<DeliveryActivities>(options);
  try {
    const answer = await deliver({ subjectId });
    if (answer?.needsAmqp) {
      const toQueues = proxyActivities<DeliveryActivities>({
        ...options,
        taskQueue: amqpQueue(),
        // There may be no worker that serves queues, so limit the wait for the first try.
        ...(policy.retry?.maximumAttempts === 1 && { scheduleToCloseTimeout: oneQueueTry }),
      });
      // In parallel, so that a receiver that does not answer delays no other.
      await Promise.all([deliver({ subjectId, by: 'http' }), toQueues.deliver({ subjectId, by: 'amqp' })]);
    }
    return true;
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    return false;
  }
}
