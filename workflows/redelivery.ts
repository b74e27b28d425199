/**
 * Attempts the deliveries of a payment or resolution again after its own execution has closed. A status
 * enquiry about a decided payment starts this workflow. So does an operator, or the sweep if it finds
 * deliveries that no workflow attempts.
 */
import { CancellationScope, condition, defineSignal, isCancellation, setHandler } from '@temporalio/workflow';
import { redeliverySignal } from '../contract/ids.ts';
import type { Subject } from '../contract/activities.ts';
import { shielded } from './shield.ts';
import { tellAll } from './tell.ts';

export function redelivery({ subjectId }: Subject): Promise<void> {
  return shielded(async () => {
    let asked = true;
    setHandler(defineSignal(redeliverySignal), () => {
      asked = true;
    });
    // A signal may arrive while the last round ends. Temporal does not close an execution with an unhandled
    // signal.
    while (asked) {
      asked = false;
      await tellUntilAsked(subjectId, () => asked);
    }
  });
}

/**
 * Makes the due deliveries. If a new request comes, cancels the round, which may sleep until its next
 * attempt: its deliveries are due now.
 */
async function tellUntilAsked(subjectId: string, isAsked: () => boolean): Promise<void> {
  const round = new CancellationScope();
  const told = round.run(() => tellAll(subjectId));
  await Promise.race([told.catch(() => undefined), condition(isAsked)]);
  if (isAsked()) round.cancel();
  try {
    await told;
  } catch (error) {
    if (!isCancellation(error)) throw error;
  }
}
