/**
 * The payment: from the first pacs.008 to the last acknowledged delivery, one execution per UETR.
 * It orders the steps and waits; what a step does stands in activities/, and the record is the database. It must hold
 * nothing that the database does not: ids, codes and times only.
 */
import {
  ActivityFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  defineUpdate,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type {
  Decision,
  DecisionCause,
  DeliveryActivities,
  DestinationAnswer,
  ForwardingActivities,
  Judgement,
  PaymentLocalActivities,
  Submission,
} from '../activities/contract.ts';
import {
  searchAttributes,
  updates,
  type PaymentInput,
  type PaymentOutcome,
  type ReportFinal,
  type ReportFinalArguments,
  type SubmitArguments,
  type SubmitResult,
} from './ids.ts';
import {
  deliverPolicy,
  enquiryTimesMs,
  forwardPolicy,
  lapseAfter,
  localPolicy,
  unreachableAfterMs,
} from './policies.ts';

const { validatePayment } = proxyLocalActivities<PaymentLocalActivities>({
  ...localPolicy,
  summary: 'judge the pacs.008, store the payment and its answer',
});
const { decidePayment, reportInDoubt } = proxyLocalActivities<PaymentLocalActivities>({
  ...localPolicy,
  summary: 'write the final status, once',
});

const submitUpdate = defineUpdate<SubmitResult, SubmitArguments>(updates.submit);
const reportFinalUpdate = defineUpdate<Decision | null, ReportFinalArguments>(updates.reportFinal);

type Accepted = Extract<Judgement, { verdict: 'accepted' }>;

/** What this execution knows; rebuilt from its history on replay. */
interface Progress {
  /** The judgement that made this payment, once there is one. */
  judgement?: Exclude<Judgement, { verdict: 'refused' }>;
  refused?: Extract<Judgement, { verdict: 'refused' }>;
  decision?: Decision;
  /** The source asked for the status (DUP-1): the instruction goes to the destination once more. */
  enquiryAsked: boolean;
  sendsUnderWay: number;
  /** The deliveries have begun. */
  telling: boolean;
  /** A final came in an HTTP answer after they had: its confirmation is due (PAY-9). */
  confirmationDue: boolean;
}

/**
 * Waits for the first word on the payment. It comes with the start; where it was lost on the way, because no worker took
 * it in time, its sender was told nothing and sends again, or this execution lapses.
 */
async function untilKnown(progress: Progress): Promise<void> {
  const isKnownOrRefused = () =>
    isKnown(progress) || (progress.refused !== undefined && allHandlersFinished());
  await Promise.resolve(); // lets the update that came with the start begin
  if (allHandlersFinished() && !isKnownOrRefused()) await condition(isKnownOrRefused, lapseAfter);
  else await condition(isKnownOrRefused);
}

/** Judged, or decided by a report alone: an execution that was lost and made again may see the report first. */
function isKnown(progress: Progress): boolean {
  return progress.judgement !== undefined || progress.decision !== undefined;
}

export async function payment({ uetr }: PaymentInput): Promise<PaymentOutcome> {
  const progress: Progress = {
    enquiryAsked: false,
    sendsUnderWay: 0,
    telling: false,
    confirmationDue: false,
  };
  setHandler(submitUpdate, (submission) => takeSubmission(progress, submission));
  setHandler(reportFinalUpdate, ({ reportMessageId }: ReportFinal) =>
    decide(uetr, progress, { by: 'destination', reportMessageId, answeredInPlace: false }),
  );

  await untilKnown(progress);
  const { judgement } = progress;
  if (judgement?.verdict === 'decided') progress.decision = judgement.decision;
  else if (judgement !== undefined) await bringToDecision(uetr, progress, judgement);
  const { decision } = progress;
  if (decision === undefined)
    return close(progress.refused ? 'REFUSED' : 'LAPSED', progress.refused?.reasonCode);

  setCurrentDetails(`${story(decision)} Telling the parties.`);
  const { deliver } = proxyActivities<DeliveryActivities>({
    ...deliverPolicy(workflowInfo().taskQueue),
    summary: `${decision.status} to every party that must know`,
  });
  progress.telling = true;
  await deliver({ uetr });
  await condition(() => progress.sendsUnderWay === 0 && allHandlersFinished());
  if (progress.confirmationDue) await deliver({ uetr });
  setCurrentDetails(`${story(decision)} Every party has been told.`);
  return close(decision.status, decision.reasonCode);
}

/** Answers one submission: the first, an enquiry, or a refused repeat. */
async function takeSubmission(progress: Progress, submission: Submission): Promise<SubmitResult> {
  const judgement = await validatePayment(submission);
  if (judgement.verdict === 'refused') {
    progress.refused = judgement;
    return { answerMessageId: judgement.answerMessageId };
  }
  if (progress.judgement === undefined) progress.judgement = judgement;
  else if (judgement.verdict === 'accepted' && judgement.enquiry) progress.enquiryAsked = true;
  if (submission.waitSeconds > 0) {
    await condition(() => progress.decision !== undefined, submission.waitSeconds * 1_000);
  }
  return { answerMessageId: progress.decision?.callbackMessageId ?? judgement.answerMessageId };
}

/** Forwards the instruction and waits until the destination, the deadline or the operator's silence decides. */
async function bringToDecision(uetr: string, progress: Progress, accepted: Accepted): Promise<void> {
  const { route } = accepted;
  upsertSearchAttributes([
    { key: searchAttributes.status, value: 'ACTC' },
    { key: searchAttributes.corridor, value: route.corridor },
    { key: searchAttributes.destinationSystem, value: route.destinationSystem },
    { key: searchAttributes.priority, value: route.priority },
    ...(route.fxp === null ? [] : [{ key: searchAttributes.fxp, value: route.fxp }]),
  ]);
  setCurrentDetails(
    `ACTC: accepted. pacs.008 goes to ${route.destinationSystem}; its final pacs.002 is awaited.`,
  );

  const { forwardPayment } = proxyActivities<ForwardingActivities>({
    ...forwardPolicy,
    summary: `pacs.008 to ${route.destinationSystem}`,
  });
  const sending = new CancellationScope();
  const send = () =>
    void sendInstruction(uetr, progress, () =>
      sending.run(() => forwardPayment({ uetr, deliveryId: accepted.instructionDeliveryId })),
    );
  send();
  if (accepted.deadlineAt !== null) await untilDeadline(uetr, progress, accepted.deadlineAt, send);
  else await untilFinal(uetr, progress, accepted.acceptedAt, send);
  sending.cancel();
}

/** One send with its repeats (TIM-3); a destination that cannot be reached is waited for, not judged here. */
async function sendInstruction(
  uetr: string,
  progress: Progress,
  forward: () => Promise<DestinationAnswer>,
): Promise<void> {
  progress.sendsUnderWay += 1;
  try {
    const answer = await forward();
    if (answer.kind === 'pending') return;
    const { reportMessageId } = answer;
    await decide(uetr, progress, { by: 'destination', reportMessageId, answeredInPlace: true });
    if (progress.telling) progress.confirmationDue = true;
  } catch (error) {
    // Every attempt is on record; the deadline (TIM-1) or the next enquiry (TIM-2) goes on from there.
    if (!(error instanceof ActivityFailure)) throw error;
  } finally {
    progress.sendsUnderWay -= 1;
  }
}

/** HIGH (TIM-1): at the deadline the gateway rejects. */
async function untilDeadline(
  uetr: string,
  progress: Progress,
  deadlineAt: number,
  send: () => void,
): Promise<void> {
  while (progress.decision === undefined) {
    if (!(await nextEvent(progress, deadlineAt - Date.now()))) {
      await decide(uetr, progress, { by: 'deadline' });
      return;
    }
    if (takeEnquiry(progress)) send();
  }
}

/** NORM (TIM-2, TIM-3): a timeout never rejects once a byte may have left; enquiries, then a person. */
async function untilFinal(
  uetr: string,
  progress: Progress,
  acceptedAt: number,
  send: () => void,
): Promise<void> {
  for (const [index, afterMs] of enquiryTimesMs.entries()) {
    while (await nextEvent(progress, acceptedAt + afterMs - Date.now())) {
      if (progress.decision !== undefined) return;
      if (takeEnquiry(progress)) send();
    }
    if (afterMs >= unreachableAfterMs && (await decide(uetr, progress, { by: 'unreachable' }))) return;
    const nextAfterMs = enquiryTimesMs[index + 1];
    const missed = nextAfterMs !== undefined && acceptedAt + nextAfterMs <= Date.now();
    if (!missed) send(); // after an outage of ours, one enquiry stands for all that were missed
  }
  await reportInDoubt({ uetr });
  setCurrentDetails(
    'In doubt: the destination has not said how the payment ended. An operator must find out.',
  );
  while (progress.decision === undefined) {
    await nextEvent(progress);
    if (takeEnquiry(progress)) send();
  }
}

/** Waits for the decision, an enquiry or the time; false when the time came first. */
async function nextEvent(progress: Progress, withinMs?: number): Promise<boolean> {
  const something = () => progress.decision !== undefined || progress.enquiryAsked;
  if (withinMs === undefined) {
    await condition(something);
    return true;
  }
  return something() || (withinMs > 0 && (await condition(something, withinMs)));
}

/** Whether the source asked for the status since the last time this was asked. */
function takeEnquiry(progress: Progress): boolean {
  const asked = progress.enquiryAsked;
  progress.enquiryAsked = false;
  return asked;
}

/** Writes the decision, or learns the one that stands (PAY-7, PAY-10). */
async function decide(uetr: string, progress: Progress, cause: DecisionCause): Promise<Decision | null> {
  const decision = await decidePayment({ uetr, cause });
  if (decision !== null) progress.decision ??= decision;
  return decision;
}

function story(decision: Decision): string {
  return decision.reasonCode === null
    ? `${decision.status}.`
    : `${decision.status} (${decision.reasonCode}).`;
}

function close(status: PaymentOutcome['status'], reasonCode: string | null = null): PaymentOutcome {
  upsertSearchAttributes([{ key: searchAttributes.status, value: status }]);
  return { status, reasonCode };
}
