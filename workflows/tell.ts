/**
 * The steps by which any workflow brings due deliveries to their receivers. A failed delivery does not end the others.
 */
import {
  ActivityFailure,
  proxyActivities,
  sleep,
  workflowInfo,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { DeliveryActivities } from '../contract/activities.ts';
import { deliverAgainAfter, deliverPolicy } from './policies.ts';

/**
 * Attempts the due deliveries of a payment or resolution until each is taken or given up.
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
 * As tellAll, with one try, which is enough for most receivers.
 * @returns whether each delivery is taken or given up
 */
export function tellOnce(subjectId: string, summary: string): Promise<boolean> {
  const policy = deliverPolicy(workflowInfo().taskQueue);
  return delivered(subjectId, { ...policy, retry: { maximumAttempts: 1 } }, summary);
}

async function delivered(subjectId: string, policy: ActivityOptions, summary?: string): Promise<boolean> {
  const { deliver } = proxyActivities<DeliveryActivities>({
    ...policy,
    ...(summary !== undefined && { summary }),
  });
  try {
    await deliver({ subjectId });
    return true;
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    return false;
  }
}
