/**
 * The workflow of a resolution, from the acmt.023 of a source to the single acmt.024 that answers it. One
 * execution runs per submitter and MsgId. It orders the steps and waits; the activities do the work and write
 * to the database. The workflow must hold no personal data, only ids, codes and times.
 */
import {
  ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  defineUpdate,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type {
  EnquiryActivities,
  ResolutionAnswer,
  ResolutionEnquiry,
  ResolutionJudgement,
  ResolutionLocalActivities,
  ResolutionRequest,
} from '../contract/activities.ts';
import { publicReason } from '../core/rejections/reason-words.ts';
import {
  searchAttributes,
  updates,
  type ResolutionOutcome,
  type ResolveArguments,
  type SubmitResult,
} from '../contract/ids.ts';
import { isLocalFailure, oneAtATime, type InTurn } from './one-at-a-time.ts';
import { enquiryPolicy, lapseAfter, localPolicy } from './policies.ts';
import { shielded } from './shield.ts';
import { unanswerableStory } from './stories.ts';
import { tellAll } from './tell.ts';

const { judgeResolution, followResolution, endResolution } =
  proxyLocalActivities<ResolutionLocalActivities>(localPolicy);

const resolveUpdate = defineUpdate<SubmitResult, ResolveArguments>(updates.resolve);

type Judged = Exclude<ResolutionJudgement, { verdict: 'refused' }>;
type Routed = Extract<ResolutionJudgement, { verdict: 'routed' }>;

/** The state of one execution. Temporal rebuilds it from the history on replay. */
interface ResolutionProgress {
  readonly inTurn: InTurn;
  judgement?: Judged;
  refused: boolean;
  /** A defect of Isthmus prevented any answer to a request. */
  unanswerable: boolean;
  answer?: ResolutionAnswer;
  /** The deadline has passed, and a defect of Isthmus prevented an answer. */
  isGivenUp: boolean;
}

/**
 * The workflow's timer fires this long before the deadline, because composing and storing the answer takes
 * time.
 */
const leadMs = 100;

/**
 * Ignores cancel requests, in the workflow and in its updates.
 * @param recorded the stored request. Used if no update comes with the start: then it is judged, or resumed
 * from the database.
 */
export function resolution(recorded?: ResolutionRequest): Promise<ResolutionOutcome> {
  return shielded(() => resolve(recorded));
}

async function resolve(recorded: ResolutionRequest | undefined): Promise<ResolutionOutcome> {
  const progress: ResolutionProgress = {
    inTurn: oneAtATime(),
    refused: false,
    unanswerable: false,
    isGivenUp: false,
  };
  setHandler(resolveUpdate, (request) => shielded(() => takeRequest(progress, request)));

  await untilKnown(progress, recorded);
  const { judgement } = progress;
  if (judgement === undefined) return { verified: null, reasonCode: progress.refused ? 'REFUSED' : 'LAPSED' };
  const answer =
    judgement.verdict === 'answered' ? judgement.answer : await bringToAnswer(progress, judgement);
  if (answer === undefined) {
    await condition(allHandlersFinished);
    setCurrentDetails(unanswerableStory);
    return { verified: null, reasonCode: 'LAPSED' };
  }

  setCurrentDetails(`${story(answer)} Telling the source.`);
  await tellSource(judgement.resolutionId);
  await condition(allHandlersFinished);
  setCurrentDetails(`${story(answer)} The source has been told.`);
  return { verified: answer.verified, reasonCode: answer.reasonCode };
}

/**
 * Waits until the request is known, from the update that came with the start or from the database. Otherwise
 * the execution lapses.
 */
async function untilKnown(
  progress: ResolutionProgress,
  recorded: ResolutionRequest | undefined,
): Promise<void> {
  const isTurnedAway = () => progress.refused || progress.unanswerable;
  const isKnown = () => progress.judgement !== undefined || (isTurnedAway() && allHandlersFinished());
  await Promise.resolve(); // Let the handler of the update that came with the start begin.
  if (recorded !== undefined && allHandlersFinished() && !isKnown()) await takeRecorded(progress, recorded);
  else if (allHandlersFinished() && !isKnown()) await condition(isKnown, lapseAfter);
  else await condition(isKnown);
}

/** Judges the request that this execution was started for, or resumes it from the database. */
async function takeRecorded(progress: ResolutionProgress, recorded: ResolutionRequest): Promise<void> {
  try {
    note(progress, await judge(progress, recorded));
  } catch (error) {
    if (!isLocalFailure(error)) throw error;
    // If a request cannot be answered at all, an operator must act.
  }
  await condition(() => progress.judgement !== undefined || allHandlersFinished());
}

async function takeRequest(progress: ResolutionProgress, request: ResolutionRequest): Promise<SubmitResult> {
  const judgement = await judge(progress, request);
  note(progress, judgement);
  if (judgement.verdict === 'refused') return { answerMessageId: judgement.answerMessageId };
  await condition(() => progress.answer !== undefined || progress.isGivenUp);
  if (progress.answer === undefined)
    throw ApplicationFailure.nonRetryable('it could not be answered (SEC-9)');
  return { answerMessageId: progress.answer.answerMessageId };
}

async function judge(
  progress: ResolutionProgress,
  { messageId }: ResolutionRequest,
): Promise<ResolutionJudgement> {
  try {
    return await progress.inTurn(() => judgeResolution({ messageId }));
  } catch (error) {
    progress.unanswerable ||= isLocalFailure(error);
    throw error;
  }
}

function note(progress: ResolutionProgress, judgement: ResolutionJudgement): void {
  if (judgement.verdict === 'refused') {
    progress.refused = true;
    return;
  }
  progress.judgement ??= judgement;
  if (judgement.verdict === 'answered') progress.answer ??= judgement.answer;
}

/**
 * Asks until a party answers or the deadline passes. The database decides by compare-and-set which came
 * first.
 * @returns undefined if a defect of Isthmus prevents any answer; then the request stays in the database, and
 * an operator is alerted
 */
async function bringToAnswer(
  progress: ResolutionProgress,
  routed: Routed,
): Promise<ResolutionAnswer | undefined> {
  const { resolutionId, enquiry } = routed;
  upsertSearchAttributes([{ key: searchAttributes.destinationSystem, value: enquiry.destinationSystem }]);
  const asking = new CancellationScope();
  void asking.run(() => ask(progress, routed));
  await condition(() => progress.answer !== undefined, untilDeadlineMs(routed));
  asking.cancel();
  try {
    return (progress.answer ??= await progress.inTurn(() => endResolution({ resolutionId })));
  } catch (error) {
    if (!isLocalFailure(error)) throw error;
    progress.isGivenUp = true;
    return undefined;
  }
}

/**
 * Counts from now the remaining time that the database reported, because the clocks of Temporal and the
 * database may differ. The activity at the end waits for the rest.
 */
function untilDeadlineMs({ remainingMs }: Routed): number {
  return Math.max(1, remainingMs - leadMs);
}

/** Ends only when the source has acknowledged its answer, or when the delivery is a dead letter. */
function tellSource(resolutionId: string): Promise<void> {
  return tellAll(resolutionId, undefined, async () => {
    if (!workflowInfo().continueAsNewSuggested) return;
    await condition(allHandlersFinished);
    await continueAsNew<typeof resolution>({ messageId: resolutionId });
  });
}

/** Asks the proxy directory, then the creditor agent, if the answers lead that far. */
async function ask(progress: ResolutionProgress, routed: Routed): Promise<void> {
  const { resolutionId, deadlineAt } = routed;
  let next: ResolutionEnquiry = routed.enquiry;
  let { remainingMs } = routed;
  try {
    while (progress.answer === undefined) {
      setCurrentDetails(`${asked[next.of]} in ${next.destinationSystem} is asked.`);
      const { askResolution } = proxyActivities<EnquiryActivities>(
        enquiryPolicy(workflowInfo().taskQueue, Math.max(1, remainingMs)),
      );
      const { deliveryId, of } = next;
      const { reportMessageId } = await askResolution({ resolutionId, deliveryId, deadlineAt });
      const step = await progress.inTurn(() => followResolution({ resolutionId, of, reportMessageId }));
      if (step.kind === 'answered') {
        progress.answer ??= step.answer;
        return;
      }
      next = step.enquiry;
      ({ remainingMs } = step);
    }
  } catch (error) {
    // The database holds every attempt, and the deadline brings an answer. A local failure means that
    // processing a party's answer met a defect of Isthmus.
    if (!(error instanceof ActivityFailure || isLocalFailure(error) || isCancellation(error))) throw error;
  }
}

const asked = { directory: 'The proxy directory', 'creditor-agent': 'The creditor agent' } as const;

function story(answer: ResolutionAnswer): string {
  return answer.reasonCode === null
    ? `Answered ${answer.verified}.`
    : `Answered ${answer.verified} (${publicReason(answer.reasonCode)}).`;
}
