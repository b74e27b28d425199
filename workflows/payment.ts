/**
 * The workflow of a payment, from its first pacs.008 until every party has been told. At most one execution
 * runs per UETR. The workflow orders the steps and waits; the activities do the work and write to the
 * database. Only ids, codes and times pass through here.
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
} from '@temporalio/workflow';
import type { Decision } from '../core/payments/decision.ts';
import type {
  DestinationAnswer,
  ForwardingActivities,
  Judgement,
  PaymentLocalActivities,
  Submission,
} from '../contract/activities.ts';
import {
  signals,
  updates,
  type PaymentInput,
  type PaymentOutcome,
  type ReportFinal,
  type ReportFinalArguments,
  type SubmitArguments,
  type SubmitResult,
} from '../contract/ids.ts';
import { isLocalFailure } from './one-at-a-time.ts';
import { forwardPolicy, lapseAfter, localPolicy } from './policies.ts';
import { begin, now, setClock, type Accepted, type Progress } from './progress.ts';
import { shielded } from './shield.ts';
import { refusedStory, sendingStory, story, unanswerableStory } from './stories.ts';
import { tellAll, tellOnce } from './tell.ts';
import { decide, show, showAccepted, untilDeadline, untilFinal } from './until-decided.ts';

const { validatePayment } = proxyLocalActivities<PaymentLocalActivities>({
  ...localPolicy,
  summary: 'judge the pacs.008, store the payment and its answer',
});

const submitUpdate = defineUpdate<SubmitResult, SubmitArguments>(updates.submit);
const reportFinalUpdate = defineUpdate<Decision | null, ReportFinalArguments>(updates.reportFinal);
const enquireSignal = defineSignal(signals.enquire);
const lookSignal = defineSignal(signals.look);

/** Ends only after its payment has ended. Neither a cancel request nor a failed delivery ends it earlier. */
export function payment(input: PaymentInput): Promise<PaymentOutcome> {
  return shielded(() => run(input));
}

async function run(input: PaymentInput): Promise<PaymentOutcome> {
  const progress = begin(input);
  setHandler(submitUpdate, (submission) => shielded(() => takeSubmission(progress, submission)));
  setHandler(reportFinalUpdate, (report) => shielded(() => takeFinal(progress, report)));
  setHandler(enquireSignal, () => void (progress.statusAsked = true));
  setHandler(lookSignal, () => void (progress.lookAsked = true));

  await untilKnown(progress);
  const { judgement } = progress;
  if (judgement?.verdict === 'decided') progress.decision = judgement.decision;
  else if (judgement !== undefined) await bringToDecision(progress, judgement);
  const { decision } = progress;
  if (decision === undefined) return close(progress, progress.refused ? 'REFUSED' : 'LAPSED');

  setCurrentDetails(`${story(decision)} Telling the parties.`);
  progress.telling = true;
  await tellOf(progress, decision);
  setCurrentDetails(`${story(decision)} Every party has been told.`);
  return close(progress, decision.status, decision.reasonCode);
}

/**
 * Tells all parties, unless the activity that decided has told them. If the first try does not reach all of
 * them, shows the decided status while it retries.
 */
async function tellOf(progress: Progress, decision: Decision): Promise<void> {
  const { uetr } = progress.input;
  const summary = `${decision.status} to every party that must know`;
  progress.confirmationDue = false; // The deliveries below include the confirmation.
  const isTold = progress.isTold ?? (await tellOnce(uetr, summary));
  if (!isTold) {
    show(progress, decision.status);
    await tellAll(uetr, summary);
  }
  const isAtRest = () => progress.roundsUnderWay === 0 && allHandlersFinished();
  if (!isAtRest()) show(progress, decision.status);
  await condition(isAtRest);
  while (isConfirmationDue(progress)) {
    progress.confirmationDue = false;
    show(progress, decision.status);
    await tellAll(uetr, summary);
    await condition(isAtRest);
  }
}

/** A function, because the compiler would otherwise narrow the value to false. */
function isConfirmationDue({ confirmationDue }: Progress): boolean {
  return confirmationDue;
}

/**
 * Waits until the payment is known, from an update that came with the start or from the database. If no
 * worker handled that update in time, its sender sends it again, and this execution lapses. A submission that
 * cannot be answered stays in the database. The execution ends, so that other messages can use the UETR.
 */
async function untilKnown(progress: Progress): Promise<void> {
  const { messageId } = progress.input;
  const isTurnedAway = () => progress.refused !== undefined || progress.unanswerable;
  const isKnownOrRefused = () => isKnown(progress) || (isTurnedAway() && allHandlersFinished());
  const takeRecorded = async () => {
    if (messageId !== undefined && !isKnownOrRefused()) await takeFromRecord(progress, messageId);
  };
  await Promise.resolve(); // Let the handler of the update that came with the start begin.
  if (allHandlersFinished()) await takeRecorded();
  if (allHandlersFinished() && !isKnownOrRefused())
    await condition(isKnownOrRefused, lapseAfter, { summary: 'nothing was submitted' });
  else await condition(() => isKnownOrRefused() || allHandlersFinished());
  await takeRecorded(); // Needed after a report that could not decide: the payment may be in the database.
}

/** Whether the payment is judged or decided. A restarted execution may see a report before the submission. */
function isKnown(progress: Progress): boolean {
  return progress.judgement !== undefined || progress.decision !== undefined;
}

/** Resumes from the database. If a submission cannot be answered at all, an operator must act. */
async function takeFromRecord(progress: Progress, messageId: string): Promise<void> {
  try {
    await takeSubmission(progress, { messageId });
  } catch (error) {
    if (!isLocalFailure(error)) throw error;
  }
}

/** Answers one submission: the first one, a status enquiry, or a repeat that is refused. */
async function takeSubmission(progress: Progress, submission: Submission): Promise<SubmitResult> {
  const judgement = await judge(progress, submission);
  if (judgement.verdict === 'refused') {
    progress.refused = judgement;
    return { answerMessageId: judgement.answerMessageId };
  }
  if (judgement.verdict === 'accepted') setClock(progress, judgement.now);
  if (progress.judgement === undefined) {
    progress.judgement = judgement;
    progress.messageId = submission.messageId;
  } else if (judgement.verdict === 'accepted' && judgement.enquiry) progress.statusAsked = true;
  return { answerMessageId: progress.decision?.callbackMessageId ?? judgement.answerMessageId };
}

async function judge(progress: Progress, submission: Submission): Promise<Judgement> {
  try {
    return await progress.inTurn(() => validatePayment(submission));
  } catch (error) {
    progress.unanswerable ||= isLocalFailure(error);
    throw error;
  }
}

/**
 * Takes a stored final status of the destination. The destination waits for the confirmation in the HTTP
 * response.
 */
async function takeFinal(progress: Progress, { reportMessageId }: ReportFinal): Promise<Decision | null> {
  await decide(progress, { by: 'destination', reportMessageId, wantsConfirmation: false });
  return progress.decision ?? null;
}

/** Forwards the instruction and waits for the decision, or until the workflow history is too long. */
async function bringToDecision(progress: Progress, accepted: Accepted): Promise<void> {
  const { uetr } = progress.input;
  const { route, finalReportId } = accepted;
  const { destinationSystem } = route;
  progress.unshown = route;
  // A new execution waits for the end of its first send, because after a final answer one event shows all.
  if (progress.input.isNew === undefined || accepted.isTaken) showAccepted(progress);
  const { forwardPayment } = proxyActivities<ForwardingActivities>({
    ...forwardPolicy,
    summary: `pacs.008 to ${destinationSystem}`,
  });
  const deliveryId = accepted.instructionDeliveryId;
  const sending = new CancellationScope();
  const send = () => {
    // An enquiry during a send needs no second send.
    if (progress.roundsUnderWay > 0) return;
    progress.rounds += 1;
    progress.sentAt = now(progress);
    showSends(progress, destinationSystem);
    void sendInstruction(progress, accepted, () =>
      sending.run(() => forwardPayment({ uetr, deliveryId, destinationSystem })),
    );
  };
  showSends(progress, destinationSystem);
  if (finalReportId !== undefined) {
    // The final status was stored before this execution began, but has not decided the payment yet.
    await decide(progress, { by: 'destination', reportMessageId: finalReportId, wantsConfirmation: true });
  } else if (!accepted.isTaken) send();
  if (accepted.deadlineAt !== null) await untilDeadline(progress, accepted.deadlineAt, send);
  else await untilFinal(progress, accepted, send);
  sending.cancel();
  if (progress.decision === undefined) await startAnew(progress);
}

/** While the payment waits, shows the progress of the sends in the Temporal UI. */
function showSends(progress: Progress, destinationSystem: string, answer?: DestinationAnswer): void {
  if (progress.decision === undefined)
    setCurrentDetails(sendingStory(destinationSystem, progress, answer?.kind));
}

/** Sends with retries. Without an answer, the database shows whether the destination was unreachable. */
async function sendInstruction(
  progress: Progress,
  { deadlineAt, route }: Accepted,
  forward: () => Promise<DestinationAnswer>,
): Promise<void> {
  progress.roundsUnderWay += 1;
  try {
    const answer = await forward();
    showSends(progress, route.destinationSystem, answer);
    if (answer.kind === 'decided') takeDecided(progress, answer);
    else if (answer.kind === 'final') {
      const { reportMessageId } = answer;
      await decide(progress, { by: 'destination', reportMessageId, wantsConfirmation: true });
      if (progress.telling) progress.confirmationDue = true;
    } else if (answer.kind === 'late') {
      progress.confirmationDue = true;
    } else if (answer.kind === 'unanswered' && deadlineAt === null)
      await decide(progress, { by: 'unreachable' });
  } catch (error) {
    // The database holds every attempt. The deadline or the next enquiry resumes from there.
    if (!(error instanceof ActivityFailure)) throw error;
    // The destination may have answered a lost send with a late final status, which must be confirmed.
    if (progress.decision !== undefined) progress.confirmationDue = true;
  } finally {
    progress.roundsUnderWay -= 1;
  }
  showAccepted(progress);
}

/** Takes the decision that the activity has written or found, unless this execution knows it already. */
function takeDecided(
  progress: Progress,
  { decision, isTold }: Extract<DestinationAnswer, { kind: 'decided' }>,
): void {
  if (progress.decision === undefined) {
    progress.decision = decision;
    progress.isTold = isTold;
  } else if (!isTold) progress.confirmationDue = true; // A lost try may have made a confirmation due.
}

/** When nothing is running, continues from the database in a new execution, unless a decision came first. */
async function startAnew(progress: Progress): Promise<void> {
  await condition(() => progress.roundsUnderWay === 0 && allHandlersFinished());
  const { decision, messageId, input } = progress;
  if (decision === undefined && messageId !== undefined) {
    await continueAsNew<typeof payment>({ uetr: input.uetr, messageId });
  }
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
