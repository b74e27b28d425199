/**
 * What every execution keeps to, whatever is done to it from outside: a request to cancel changes nothing (LIF-3), and
 * no failure of a delivery ends the others (I-17).
 */
import {
  ActivityFailure,
  CancellationScope,
  proxyActivities,
  sleep,
  workflowInfo,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { DeliveryActivities } from '../contract/activities.ts';
import { deliverAgainAfter, deliverPolicy } from './policies.ts';

/**
 * Runs steps that no request to cancel reaches; the operators' UI offers one with a click. It adds no turn of its own,
 * because the order of commands is part of each history.
 */
export function shielded<T>(steps: () => Promise<T>): Promise<T> {
  let result: Promise<T> | undefined;
  void CancellationScope.nonCancellable(() => {
    result = steps();
    return Promise.resolve();
  });
  if (result === undefined) throw new Error('a scope runs its steps at once');
  return result;
}

/**
 * Brings what is due of a payment or resolution to its receivers, until each has taken it or is given up.
 * @param subjectId UETR of the payment, or id of the resolution
 * @param summary what an operator reads beside it in the Temporal UI
 * @param beforePause runs when the activity has failed for good, which none should (I-17)
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
 * The same, with one try, which most receivers need.
 * @returns whether each has taken it or is given up
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
