/**
 * The wait of an accepted payment for its decision (payment.ts): until the destination decides, or the deadline (TIM-1),
 * or that the destination could never be reached; silence decides nothing, and is enquired about (TIM-2). What
 * the source or the sweep asks for is done meanwhile. What decides is the record; this only asks it in time.
 */
import {
  condition,
  proxyLocalActivities,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { DecisionCause, DecisionResult, PaymentLocalActivities } from '../contract/activities.ts';
import { searchAttributes, type PaymentOutcome } from '../contract/ids.ts';
import { publicReason } from '../core/rejections/reason-words.ts';
import { enquiryTimesMs } from '../core/payments/enquiry-schedule.ts';
import { now, setClock } from './database-clock.ts';
import { localPolicy } from './policies.ts';
import type { Accepted, Progress } from './progress.ts';

const { decidePayment } = proxyLocalActivities<PaymentLocalActivities>({
  ...localPolicy,
  summary: 'write the final status, once there is one',
});
const { reportInDoubt } = proxyLocalActivities<PaymentLocalActivities>({
  ...localPolicy,
  summary: 'alert: nobody knows how it ended (TIM-2)',
});

/** HIGH: at the deadline, by the database clock, the gateway rejects. */
export async function untilDeadline(progress: Progress, deadlineAt: number, send: () => void): Promise<void> {
  let waitMs = deadlineAt - now(progress);
  while (progress.decision === undefined) {
    const isInTime = await nextEventWithin(progress, 'HIGH deadline (TIM-1)', waitMs);
    let retryInMs = 0;
    if (!isInTime || progress.lookAsked) {
      progress.lookAsked = false;
      const decided = await decide(progress, { by: 'deadline' });
      // waited for as a duration, because the engine's clock does not count
      if (decided !== null && 'waitMs' in decided) setClock(progress, deadlineAt - decided.waitMs);
      if (decided !== null && 'retryInMs' in decided) ({ retryInMs } = decided);
    }
    if (takeStatusAsked(progress)) send();
    waitMs = Math.max(retryInMs, deadlineAt - now(progress));
  }
}

/** NORM: a timeout never rejects once a byte may have left; enquiries, then a person. */
export async function untilFinal(
  progress: Progress,
  { acceptedAt, lastSentAt = 0 }: Accepted,
  send: () => void,
): Promise<void> {
  const isPast = (afterMs: number | undefined) =>
    afterMs !== undefined && acceptedAt + afterMs <= now(progress);
  for (const [index, afterMs] of enquiryTimesMs.entries()) {
    if (acceptedAt + afterMs <= lastSentAt) continue; // made by the execution before this one
    // after an outage of ours, one enquiry makes up for all that were missed
    if (isPast(enquiryTimesMs[index + 1])) continue;
    const timer = `enquiry ${index + 1} of ${enquiryTimesMs.length} (TIM-2)`;
    while (await nextEventWithin(progress, timer, acceptedAt + afterMs - now(progress))) {
      await lookIfAsked(progress);
      if (progress.decision !== undefined || isLong()) return;
      if (takeStatusAsked(progress)) send();
    }
    await decide(progress, { by: 'unreachable' });
    if (progress.decision !== undefined) return;
    send(); // seam: enquiry
  }
  await progress.inTurn(() => reportInDoubt({ uetr: progress.input.uetr }));
  show(progress, 'INDOUBT');
  setCurrentDetails(
    'In doubt: the destination has not said how the payment ended. An operator must find out.',
  );
  await lookIfAsked(progress);
  while (progress.decision === undefined && !isLong()) {
    await nextEvent(progress);
    if (takeStatusAsked(progress)) send();
    await lookIfAsked(progress);
  }
}

/** Asks the record, if the sweep says that it knows more. */
async function lookIfAsked(progress: Progress): Promise<void> {
  if (!progress.lookAsked || progress.decision !== undefined) return;
  progress.lookAsked = false;
  await decide(progress, { by: 'record' });
}

/** Waits for the decision, an enquiry, a look or a long history. */
function nextEvent(progress: Progress): Promise<void> {
  return condition(() => isEvent(progress));
}

/** The same, for no longer than until the timer; false when that came first. */
async function nextEventWithin(progress: Progress, timer: string, withinMs: number): Promise<boolean> {
  const something = () => isEvent(progress);
  return something() || (withinMs > 0 && (await condition(something, withinMs, { summary: timer })));
}

/** A long history is an event for NORM only: HIGH meets its deadline before. */
function isEvent({ judgement, decision, statusAsked, lookAsked }: Progress): boolean {
  const isHigh = judgement?.verdict === 'accepted' && judgement.deadlineAt !== null;
  return decision !== undefined || statusAsked || lookAsked || (!isHigh && isLong());
}

/** The history has become long by enquiries: the payment continues in a new execution. */
function isLong(): boolean {
  return workflowInfo().continueAsNewSuggested;
}

/** Whether the source asked for the status since the last time this was asked. */
function takeStatusAsked(progress: Progress): boolean {
  const asked = progress.statusAsked;
  progress.statusAsked = false;
  return asked;
}

/** Writes the decision, or learns the one that stands. */
export async function decide(progress: Progress, cause: DecisionCause): Promise<DecisionResult> {
  const decided = await progress.inTurn(() => decidePayment({ uetr: progress.input.uetr, cause }));
  if (decided !== null && 'status' in decided) progress.decision ??= decided;
  return decided;
}

/** What operators find it by; once. */
export function show(progress: Progress, status: PaymentOutcome['status'] | 'INDOUBT'): void {
  if (progress.shown !== status) {
    const reasonCode = progress.decision?.reasonCode ?? progress.refused?.reasonCode ?? null;
    upsertSearchAttributes([
      { key: searchAttributes.status, value: status },
      ...(reasonCode === null ? [] : [{ key: searchAttributes.reason, value: publicReason(reasonCode) }]),
    ]);
  }
  progress.shown = status;
}
