/**
 * Brings the deliveries of a payment or resolution to their receivers again, after its own execution has closed: when
 * the source asks for the status of a decided payment, when an operator does, or when the sweep finds some
 * that nobody brings.
 */
import { CancellationScope, condition, defineSignal, isCancellation, setHandler } from '@temporalio/workflow';
import { redeliverySignal } from '../contract/ids.ts';
import type { Subject } from '../contract/subject.ts';
import { shielded } from './shield.ts';
import { tellAll } from './tell.ts';

export function redelivery({ subjectId }: Subject): Promise<void> {
  return shielded(async () => {
    let asked = true;
    setHandler(defineSignal(redeliverySignal), () => {
      asked = true;
    });
    // asked again while the last round was ending: Temporal closes no execution with an unhandled signal
    while (asked) {
      asked = false;
      await tellUntilAsked(subjectId, () => asked);
    }
  });
}

/**
 * A round that sleeps until its next attempt is left when its deliveries are asked for again, because they are due now.
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
