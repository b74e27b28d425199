/**
 * The payment: from its first pacs.008 until every party has been told, one execution at a time per UETR.
 * It orders the steps and waits. The steps are in activities/ and the record is the database: only ids, codes and times pass here.
 */
import {
  ActivityFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  defineUpdate,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { enquiryTimesMs, unreachableAfterMs } from '../core/delivery-schedule.ts';
import type { Decision } from '../core/report.ts';
import type {
  DecisionCause,
  DecisionResult,
  DestinationAnswer,
  ForwardingActivities,
  Judgement,
  PaymentLocalActivities,
  Submission,
} from '../contract/activities.ts';
import {
  assertKnownForm,
  currentForm,
  searchAttributes,
  signals,
  updates,
  type PaymentInput,
  type PaymentOutcome,
  type ReportFinal,
  type ReportFinalArguments,
  type SubmitArguments,
  type SubmitResult,
} from '../contract/ids.ts';
import { now, setClock } from './database-clock.ts';
import { isLocalFailure } from './one-at-a-time.ts';
import { forwardPolicy, lapseAfter, localPolicy } from './policies.ts';
import { begin, keepsFirstForm, type Accepted, type Progress } from './progress.ts';
import { shielded, tellAll, tellOnce } from './shield.ts';
import { refusedStory, sendingStory, story, unanswerableStory } from './stories.ts';

const { validatePayment } = proxyLocalActivities<PaymentLocalActivities>({
  ...localPolicy,
  summary: 'judge the pacs.008, store the payment and its answer',
});
const { decidePayment, reportInDoubt } = proxyLocalActivities<PaymentLocalActivities>({
  ...localPolicy,
  summary: 'write the final status, once there is one',
});

const submitUpdate = defineUpdate<SubmitResult, SubmitArguments>(updates.submit);
const reportFinalUpdate = defineUpdate<Decision | null, ReportFinalArguments>(updates.reportFinal);
const enquireSignal = defineSignal(signals.enquire);
const lookSignal = defineSignal(signals.look);

/** One execution per UETR. Neither a request to cancel nor a failed delivery ends it before its payment has (LIF-3). */
export function payment(input: PaymentInput): Promise<PaymentOutcome> {
  return shielded(() => run(input));
}

async function run(input: PaymentInput): Promise<PaymentOutcome> {
  const { uetr } = input;
  assertKnownForm(input.form);
  const progress = begin(input);
  setHandler(submitUpdate, (submission) => shielded(() => takeSubmission(progress, submission)));
  setHandler(reportFinalUpdate, (report) => shielded(() => takeFinal(progress, report)));
  setHandler(enquireSignal, () => void (progress.statusAsked = true));
  setHandler(lookSignal, () => void (progress.lookAsked = true));

  await untilKnown(progress);
  const { judgement } = progress;
  if (judgement?.verdict === 'decided') progress.decision = judgement.decision;
  else if (judgement !== undefined) await bringToDecision(uetr, progress, judgement);
  const { decision } = progress;
  if (decision === undefined) return close(progress, progress.refused ? 'REFUSED' : 'LAPSED');

  setCurrentDetails(`${story(decision)} Telling the parties.`);
  progress.telling = true;
  await tellOf(progress, decision);
  setCurrentDetails(`${story(decision)} Every party has been told.`);
  return close(progress, decision.status, decision.reasonCode);
}

/** Tells every party that must know. What takes more than one try is shown as decided meanwhile. */
async function tellOf(progress: Progress, decision: Decision): Promise<void> {
  const { input } = progress;
  const { uetr } = input;
  const summary = `${decision.status} to every party that must know`;
  progress.confirmationDue = false; // it is told with the others
  const isTold = !keepsFirstForm(input) && (await tellOnce(uetr, summary));
  if (!isTold) {
    if (!keepsFirstForm(input)) show(progress, decision.status);
    await tellAll(uetr, summary);
  }
  const isAtRest = () => progress.roundsUnderWay === 0 && allHandlersFinished();
  if (!isAtRest() && !keepsFirstForm(input)) show(progress, decision.status);
  await condition(isAtRest);
  while (isConfirmationDue(progress)) {
    progress.confirmationDue = false;
    if (!keepsFirstForm(input)) show(progress, decision.status);
    await tellAll(uetr, summary);
    await condition(isAtRest);
  }
}

/** What operators find it by; once. */
function show(progress: Progress, status: PaymentOutcome['status'] | 'INDOUBT'): void {
  if (progress.shown !== status) upsertSearchAttributes([{ key: searchAttributes.status, value: status }]);
  progress.shown = status;
}

/** Whether a final came in an HTTP answer while the parties were told. A function, because the compiler saw it set to false. */
function isConfirmationDue({ confirmationDue }: Progress): boolean {
  return confirmationDue;
}

/**
 * Waits for the first word on the payment, which comes with the start or is in the record. If it was lost on the way because
 * no worker took it in time, its sender had no answer and sends again; otherwise this execution lapses. One that cannot be answered
 * is kept by the record (SEC-9): the execution makes way for whatever else comes under its UETR.
 */
async function untilKnown(progress: Progress): Promise<void> {
  const { input } = progress;
  const { messageId } = input;
  const isTurnedAway = () =>
    progress.refused !== undefined || (progress.unanswerable && !keepsFirstForm(input));
  const isKnownOrRefused = () => isKnown(progress) || (isTurnedAway() && allHandlersFinished());
  await Promise.resolve(); // lets the update that came with the start begin
  if (messageId !== undefined && allHandlersFinished() && !isKnownOrRefused()) {
    await takeFromRecord(progress, messageId);
  }
  if (allHandlersFinished() && !isKnownOrRefused())
    await condition(isKnownOrRefused, lapseAfter, { summary: 'nothing was submitted' });
  else await condition(() => isKnownOrRefused() || (!keepsFirstForm(input) && allHandlersFinished()));
  // a report came with the start, and could not decide: the record has the payment
  if (!isKnownOrRefused() && messageId !== undefined && !keepsFirstForm(input)) {
    await takeFromRecord(progress, messageId);
  }
}

/** Judged, or decided by a report alone: an execution that was started again may see the report first. */
function isKnown(progress: Progress): boolean {
  return progress.judgement !== undefined || progress.decision !== undefined;
}

/** Continues from the record (LIF-2); a submission that cannot be answered at all is left to a person (SEC-9). */
async function takeFromRecord(progress: Progress, messageId: string): Promise<void> {
  try {
    await takeSubmission(progress, { messageId, waitSeconds: 0 });
  } catch (error) {
    if (!isLocalFailure(error)) throw error;
  }
}

/** Answers one submission: the first, an enquiry, or a refused repeat. */
async function takeSubmission(progress: Progress, submission: Submission): Promise<SubmitResult> {
  const judgement = await judge(progress, submission);
  if (judgement.verdict === 'refused') {
    progress.refused = judgement;
    return { answerMessageId: judgement.answerMessageId };
  }
  if (judgement.verdict === 'accepted') setClock(progress, judgement.now ?? Date.now());
  if (progress.judgement === undefined) {
    progress.judgement = judgement;
    progress.messageId = submission.messageId;
  } else if (judgement.verdict === 'accepted' && judgement.enquiry) progress.statusAsked = true;
  if (submission.waitSeconds > 0) {
    await condition(() => progress.decision !== undefined, submission.waitSeconds * 1_000, {
      summary: 'the source waits (PAY-1)',
    });
  }
  return { answerMessageId: progress.decision?.callbackMessageId ?? judgement.answerMessageId };
}

/** @throws what will not change by trying again */
async function judge(progress: Progress, submission: Submission): Promise<Judgement> {
  try {
    return await progress.inTurn(() => validatePayment(submission));
  } catch (error) {
    progress.unanswerable ||= isLocalFailure(error);
    throw error;
  }
}

/** Takes a stored final of the destination, which waits for the confirmation (PAY-8). */
async function takeFinal(progress: Progress, { reportMessageId }: ReportFinal): Promise<Decision | null> {
  await decide(progress, { by: 'destination', reportMessageId, wantsConfirmation: false });
  return progress.decision ?? null;
}

/** Forwards the instruction and waits until the destination, the deadline or the operator's silence decides. */
async function bringToDecision(uetr: string, progress: Progress, accepted: Accepted): Promise<void> {
  const { route, finalReportId } = accepted;
  const { destinationSystem } = route;
  upsertSearchAttributes([
    { key: searchAttributes.status, value: 'ACTC' },
    { key: searchAttributes.corridor, value: route.corridor },
    { key: searchAttributes.destinationSystem, value: destinationSystem },
    { key: searchAttributes.priority, value: route.priority },
    ...(route.fxp === null ? [] : [{ key: searchAttributes.fxp, value: route.fxp }]),
  ]);
  const { forwardPayment } = proxyActivities<ForwardingActivities>({
    ...forwardPolicy,
    summary: `pacs.008 to ${destinationSystem}`,
  });
  const deliveryId = accepted.instructionDeliveryId;
  const sending = new CancellationScope();
  const send = () => {
    // an enquiry during a send joins it (DUP-1)
    if (!keepsFirstForm(progress.input) && progress.roundsUnderWay > 0) return;
    progress.rounds += 1;
    progress.sentAt = now(progress);
    showSends(progress, destinationSystem);
    void sendInstruction(progress, accepted, () =>
      sending.run(() => forwardPayment({ uetr, deliveryId, destinationSystem })),
    );
  };
  progress.sentAt = now(progress); // one that was started again waits from now
  showSends(progress, destinationSystem);
  if (finalReportId !== undefined) {
    // stored before this execution began, and not applied yet (PAY-7)
    await decide(progress, { by: 'destination', reportMessageId: finalReportId, wantsConfirmation: true });
  } else if (accepted.isTaken !== true) send();
  if (accepted.deadlineAt !== null) await untilDeadline(progress, accepted.deadlineAt, send);
  else await untilFinal(progress, accepted, send);
  sending.cancel();
  if (progress.decision === undefined) await startAnew(progress);
}

/** What an operator reads in the Temporal UI while the payment waits. */
function showSends(progress: Progress, destinationSystem: string, answer?: DestinationAnswer): void {
  if (progress.decision === undefined)
    setCurrentDetails(sendingStory(destinationSystem, progress, answer?.kind));
}

/** One send with its retries (TIM-3). An unreachable destination is waited for: a NORM payment is rejected after 60 s at the earliest. */
async function sendInstruction(
  progress: Progress,
  { deadlineAt, acceptedAt, route }: Accepted,
  forward: () => Promise<DestinationAnswer>,
): Promise<void> {
  progress.roundsUnderWay += 1;
  try {
    const answer = await forward();
    showSends(progress, route.destinationSystem, answer);
    if (answer.kind === 'final') {
      const { reportMessageId } = answer;
      await decide(progress, { by: 'destination', reportMessageId, wantsConfirmation: true });
      if (progress.telling) progress.confirmationDue = true;
    } else if (answer.kind === 'late') {
      progress.confirmationDue = true;
    } else if (answer.kind === 'unanswered' && deadlineAt === null) {
      if (now(progress) >= acceptedAt + unreachableAfterMs) await decide(progress, { by: 'unreachable' });
    }
  } catch (error) {
    // Every attempt is on record; the deadline (TIM-1) or the next enquiry (TIM-2) goes on from there.
    if (!(error instanceof ActivityFailure)) throw error;
    // a send that was lost after the decision may have taken a late final, whose confirmation is then due
    if (!keepsFirstForm(progress.input) && progress.decision !== undefined) progress.confirmationDue = true;
  } finally {
    progress.roundsUnderWay -= 1;
  }
}

/** HIGH (TIM-1): at the deadline, by the database clock, the gateway rejects. */
async function untilDeadline(progress: Progress, deadlineAt: number, send: () => void): Promise<void> {
  let waitMs = deadlineAt - now(progress);
  while (progress.decision === undefined) {
    const isEvent = await nextEvent(progress, 'HIGH deadline (TIM-1)', waitMs);
    let retryInMs = 0;
    if (!isEvent || progress.lookAsked) {
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

/** NORM (TIM-2, TIM-3): a timeout never rejects once a byte may have left; enquiries, then a person. */
async function untilFinal(
  progress: Progress,
  { acceptedAt, lastSentAt = 0 }: Accepted,
  send: () => void,
): Promise<void> {
  const isPast = (afterMs: number | undefined) =>
    afterMs !== undefined && acceptedAt + afterMs <= now(progress);
  for (const [index, afterMs] of enquiryTimesMs.entries()) {
    if (acceptedAt + afterMs <= lastSentAt) continue; // made by the execution before this one
    // after an outage of ours, one enquiry makes up for all that were missed
    const isMissed = isPast(enquiryTimesMs[index + 1]);
    if (isMissed && !keepsFirstForm(progress.input)) continue;
    const timer = `enquiry ${index + 1} of ${enquiryTimesMs.length} (TIM-2)`;
    while (await nextEvent(progress, timer, acceptedAt + afterMs - now(progress))) {
      if (await isDecidedOrLong(progress)) return;
      if (takeStatusAsked(progress)) send();
    }
    if (afterMs >= unreachableAfterMs) await decide(progress, { by: 'unreachable' });
    if (progress.decision !== undefined) return;
    if (!isMissed) send();
  }
  await progress.inTurn(() => reportInDoubt({ uetr: progress.input.uetr }));
  if (!keepsFirstForm(progress.input)) show(progress, 'INDOUBT');
  setCurrentDetails(
    'In doubt: the destination has not said how the payment ended. An operator must find out.',
  );
  while (!(await isDecidedOrLong(progress))) {
    await nextEvent(progress, '');
    if (takeStatusAsked(progress)) send();
  }
}

/** Asks the record, if the sweep says that it knows more (LIF-2). */
async function isDecidedOrLong(progress: Progress): Promise<boolean> {
  if (progress.lookAsked && progress.decision === undefined) {
    progress.lookAsked = false;
    await decide(progress, { by: 'record' });
  }
  return progress.decision !== undefined || isLong();
}

/**
 * Waits for the decision, an enquiry or the time; false when the time came first. A long history is an event for NORM only:
 * HIGH meets its deadline before.
 */
async function nextEvent(progress: Progress, timer: string, withinMs?: number): Promise<boolean> {
  const { judgement } = progress;
  const isHigh = judgement?.verdict === 'accepted' && judgement.deadlineAt !== null;
  const something = () =>
    progress.decision !== undefined || progress.statusAsked || progress.lookAsked || (!isHigh && isLong());
  if (withinMs === undefined) {
    await condition(something);
    return true;
  }
  return something() || (withinMs > 0 && (await condition(something, withinMs, { summary: timer })));
}

/** The history has become long by enquiries: the payment continues in a new execution. */
function isLong(): boolean {
  return workflowInfo().continueAsNewSuggested;
}

/** Once nothing is running, continues from the record in a new execution; or in this one, if a decision came first. */
async function startAnew(progress: Progress): Promise<void> {
  await condition(() => progress.roundsUnderWay === 0 && allHandlersFinished());
  const { decision, messageId, input } = progress;
  if (decision === undefined && messageId !== undefined) {
    await continueAsNew<typeof payment>({ uetr: input.uetr, messageId, form: currentForm });
  }
}

/** Whether the source asked for the status since the last time this was asked. */
function takeStatusAsked(progress: Progress): boolean {
  const asked = progress.statusAsked;
  progress.statusAsked = false;
  return asked;
}

/** Writes the decision, or learns the one that stands (PAY-7, PAY-10). */
async function decide(progress: Progress, cause: DecisionCause): Promise<DecisionResult> {
  const decided = await progress.inTurn(() => decidePayment({ uetr: progress.input.uetr, cause }));
  if (decided !== null && 'status' in decided) progress.decision ??= decided;
  return decided;
}

function close(
  progress: Progress,
  status: PaymentOutcome['status'],
  reasonCode: string | null = progress.refused?.reasonCode ?? null,
): PaymentOutcome {
  if (status === 'REFUSED') setCurrentDetails(refusedStory(reasonCode));
  else if (status === 'LAPSED' && progress.unanswerable) setCurrentDetails(unanswerableStory);
  show(progress, status);
  return { status, reasonCode };
}
