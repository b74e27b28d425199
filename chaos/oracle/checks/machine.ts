// Whether what came late came late for want of a processor: everything that needs one did, then.
import type { World } from '../world.ts';

const usualMs = 200; // from being stored to being judged, where 30 ms are usual
const aroundMs = 5_000;

/** @param busyMs that a judgement takes on a machine that is called busy */
export function isMachineBusy(
  { payments }: Pick<World, 'payments'>,
  moment: number,
  busyMs = usualMs,
): boolean {
  return payments.some(({ submission, judgedAt }) => {
    const storedAt = submission?.createdAt ?? judgedAt;
    return Math.abs(storedAt - moment) < aroundMs && judgedAt - storedAt > busyMs;
  });
}
