/**
 * Waits for the decision of an accepted payment (payment.ts). The decision comes from the destination, from
 * the deadline (TIM-1), or because the destination was never reachable. A destination that does not answer
 * decides nothing: the gateway enquires (TIM-2). Meanwhile this module serves requests of the source and of
 * the sweep. The database decides; this code only asks it in time.
 */
import {
  condition,
  proxyLocalActivities,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { DecisionCause, DecisionResult, PaymentLocalActivities, Route } from '../contract/activities.ts';
import { searchAttributes, type PaymentOutcome } from '../contract/ids.ts';
import { publicReason } from '../core/rejections/reason-words.ts';
import { enquiryTimesMs } from '../core/payments/enquiry-schedule.ts';
import { localPolicy } from './policies.ts';
import { now, setClock, type Accepted, type Progress } from './progress.ts';

const { decidePayment } = proxyLocalActivities<PaymentLocalActivities>({
  ...localPolicy,
  summary: 'write the final status, once there is one',
});
const { reportInDoubt } = proxyLocalActivities<PaymentLocalActivities>({
  ...localPolicy,
  summary: 'alert: nobody knows how it ended (TIM-2)',
});

/** Waits for the decision of a HIGH payment. At the deadline, by the database clock, the gateway rejects. */
export async function untilDeadline(progress: Progress, deadlineAt: number, send: () => void): Promise<void> {
  let waitMs = deadlineAt - now(progress);
  while (progress.decision === undefined) {
    const isInTime = await nextEventWithin(progress, 'HIGH deadline (TIM-1)', waitMs);
    let retryInMs = 0;
    if (!isInTime || progress.lookAsked) {
      progress.lookAsked = false;
      const decided = await decide(progress, { by: 'deadline' });
      // Wait for a duration, because the clocks of Temporal and the database may differ.
      if (decided !== null && 'waitMs' in decided) setClock(progress, deadlineAt - decided.waitMs);
      if (decided !== null && 'retryInMs' in decided) ({ retryInMs } = decided);
    }
    if (takeStatusAsked(progress)) send();
    waitMs = Math.max(retryInMs, deadlineAt - now(progress));
  }
}

/** Waits for the decision of a NORM payment. A timeout never rejects it once a byte may have left. */
export async function untilFinal(
  progress: Progress,
  { acceptedAt, lastSentAt = 0 }: Accepted,
  send: () => void,
): Promise<void> {
  const isPast = (afterMs: number | undefined) =>
    afterMs !== undefined && acceptedAt + afterMs <= now(progress);
  for (const [index, afterMs] of enquiryTimesMs.entries()) {
    if (acceptedAt + afterMs <= lastSentAt) continue; // The previous execution sent this enquiry.
    // After an outage of Isthmus, one enquiry replaces all that were missed.
    if (isPast(enquiryTimesMs[index + 1])) continue;
    const timer = `enquiry ${index + 1} of ${enquiryTimesMs.length} (TIM-2)`;
    while (await nextEventWithin(progress, timer, acceptedAt + afterMs - now(progress))) {
      await lookIfAsked(progress);
      if (progress.decision !== undefined || isLong()) return;
      if (takeStatusAsked(progress)) send();
    }
    await decide(progress, { by: 'unreachable' });
    if (progress.decision !== undefined) return;
    showAccepted(progress);
    send(); // seam: enquiry
  }
  await progress.inTurn(() => reportInDoubt({ uetr: progress.input.uetr }));
  show(progress, 'INDOUBT');
  setCurrentDetails(
    'In doubt: the destination has not said how the payment ended. An operator must find out.',
  );
  await lookIfAsked(progress);
  while (progress.decision === undefined && !isLong()) {
    await condition(() => isEvent(progress));
    if (takeStatusAsked(progress)) send();
    await lookIfAsked(progress);
  }
}

/** Decides from the database if the sweep has asked for it. */
async function lookIfAsked(progress: Progress): Promise<void> {
  if (!progress.lookAsked || progress.decision !== undefined) return;
  progress.lookAsked = false;
  await decide(progress, { by: 'record' });
}

/**
 * Waits for the decision, a status enquiry, a request of the sweep or a long history.
 * @returns false if the timer came first
 */
async function nextEventWithin(progress: Progress, timer: string, withinMs: number): Promise<boolean> {
  const something = () => isEvent(progress);
  return something() || (withinMs > 0 && (await condition(something, withinMs, { summary: timer })));
}

/** A long history counts only for NORM. A HIGH payment meets its deadline before its history is long. */
function isEvent({ judgement, decision, statusAsked, lookAsked }: Progress): boolean {
  const isHigh = judgement?.verdict === 'accepted' && judgement.deadlineAt !== null;
  return decision !== undefined || statusAsked || lookAsked || (!isHigh && isLong());
}

/** Whether enquiries have made the history so long that the payment should continue in a new execution. */
function isLong(): boolean {
  return workflowInfo().continueAsNewSuggested;
}

function takeStatusAsked(progress: Progress): boolean {
  const asked = progress.statusAsked;
  progress.statusAsked = false;
  return asked;
}

export async function decide(progress: Progress, cause: DecisionCause): Promise<DecisionResult> {
  const decided = await progress.inTurn(() => decidePayment({ uetr: progress.input.uetr, cause }));
  if (decided !== null && 'status' in decided) progress.decision ??= decided;
  return decided;
}

/** Shows that the payment is accepted and open, unless this execution has shown it before. */
export function showAccepted(progress: Progress): void {
  if (progress.unshown !== undefined && progress.decision === undefined) show(progress, 'ACTC');
}

/** Sets the search attributes by which operators find the payment, once per status. */
export function show(progress: Progress, status: PaymentOutcome['status'] | 'ACTC' | 'INDOUBT'): void {
  if (progress.shown !== status) {
    const { reasonCode = null } = (status === 'REFUSED' ? progress.refused : progress.decision) ?? {};
    upsertSearchAttributes([
      { key: searchAttributes.status, value: status },
      ...(reasonCode === null ? [] : [{ key: searchAttributes.reason, value: publicReason(reasonCode) }]),
      ...(progress.unshown === undefined ? [] : attributesOf(progress.unshown)),
    ]);
  }
  progress.shown = status;
  progress.unshown = undefined;
}

function attributesOf({ corridor, destinationSystem, priority, fxp }: Route) {
  return [
    { key: searchAttributes.corridor, value: corridor },
    { key: searchAttributes.destinationSystem, value: destinationSystem },
    { key: searchAttributes.priority, value: priority },
    ...(fxp === null ? [] : [{ key: searchAttributes.fxp, value: fxp }]),
  ];
}
