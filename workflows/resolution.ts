/**
 * The resolution of a proxy or an account: from the acmt.023 of a source to its one acmt.024, one execution per submitter
 * and MsgId (RES-1, RES-2). It orders the steps and waits; what a step does stands in activities/, and the record is the
 * database. It must hold nothing of a person: ids, codes and times only.
 */
import {
  ActivityFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
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
  DeliveryActivities,
  EnquiryActivities,
  ResolutionAnswer,
  ResolutionEnquiry,
  ResolutionJudgement,
  ResolutionLocalActivities,
  ResolutionRequest,
} from '../activities/contract.ts';
import {
  searchAttributes,
  updates,
  type ResolutionOutcome,
  type ResolveArguments,
  type SubmitResult,
} from './ids.ts';
import { deliverPolicy, enquiryPolicy, lapseAfter, localPolicy } from './policies.ts';

const { judgeResolution, followResolution, endResolution } =
  proxyLocalActivities<ResolutionLocalActivities>(localPolicy);

const resolveUpdate = defineUpdate<SubmitResult, ResolveArguments>(updates.resolve);

type Known = Exclude<ResolutionJudgement, { verdict: 'refused' }>;
type Routed = Extract<ResolutionJudgement, { verdict: 'routed' }>;

/** What this execution knows; rebuilt from its history on replay. */
interface Progress {
  judgement?: Known;
  refused: boolean;
  answer?: ResolutionAnswer;
}

export async function resolution(): Promise<ResolutionOutcome> {
  const { deliver } = proxyActivities<DeliveryActivities>(deliverPolicy(workflowInfo().taskQueue));
  const progress: Progress = { refused: false };
  setHandler(resolveUpdate, (request) => takeRequest(progress, request));

  await untilKnown(progress);
  const { judgement } = progress;
  if (judgement === undefined) return { verified: null, reasonCode: progress.refused ? 'REFUSED' : 'LAPSED' };
  const answer =
    judgement.verdict === 'answered' ? judgement.answer : await bringToAnswer(progress, judgement);

  setCurrentDetails(`${story(answer)} Telling the source.`);
  await deliver({ uetr: judgement.resolutionId });
  await condition(allHandlersFinished);
  setCurrentDetails(`${story(answer)} The source has been told.`);
  return { verified: answer.verified, reasonCode: answer.reasonCode };
}

/** Waits for the request that comes with the start; where it was lost on the way, this execution lapses. */
async function untilKnown(progress: Progress): Promise<void> {
  const isKnown = () => progress.judgement !== undefined || (progress.refused && allHandlersFinished());
  await Promise.resolve(); // lets the update that came with the start begin
  if (allHandlersFinished() && !isKnown()) await condition(isKnown, lapseAfter);
  else await condition(isKnown);
}

/** Answers one request: the first, the same again, or one of other content. */
async function takeRequest(progress: Progress, request: ResolutionRequest): Promise<SubmitResult> {
  const judgement = await judgeResolution(request);
  if (judgement.verdict === 'refused') {
    progress.refused = true;
    return { answerMessageId: judgement.answerMessageId };
  }
  progress.judgement ??= judgement;
  if (judgement.verdict === 'answered') progress.answer ??= judgement.answer;
  await condition(() => progress.answer !== undefined);
  return { answerMessageId: progress.answer?.answerMessageId ?? '' };
}

/** Asks until a party or the deadline answers (RES-1); the compare-and-set of the record decides between them. */
async function bringToAnswer(progress: Progress, routed: Routed): Promise<ResolutionAnswer> {
  const { resolutionId, deadlineAt, enquiry } = routed;
  upsertSearchAttributes([{ key: searchAttributes.destinationSystem, value: enquiry.destinationSystem }]);
  const asking = new CancellationScope();
  void asking.run(() => ask(progress, routed));
  const remainingMs = Math.max(1, deadlineAt - Date.now());
  await condition(() => progress.answer !== undefined, remainingMs);
  asking.cancel();
  return (progress.answer ??= await endResolution({ resolutionId }));
}

/** The proxy directory, then the creditor agent, as far as each answer leads (RES-2). */
async function ask(progress: Progress, { resolutionId, deadlineAt, enquiry }: Routed): Promise<void> {
  let next: ResolutionEnquiry = enquiry;
  try {
    while (progress.answer === undefined) {
      setCurrentDetails(`${asked[next.of]} in ${next.destinationSystem} is asked.`);
      const { askResolution } = proxyActivities<EnquiryActivities>(
        enquiryPolicy(workflowInfo().taskQueue, Math.max(1, deadlineAt - Date.now())),
      );
      const { deliveryId, of } = next;
      const { reportMessageId } = await askResolution({ resolutionId, deliveryId, deadlineAt });
      const step = await followResolution({ resolutionId, of, reportMessageId });
      if (step.kind === 'answered') progress.answer ??= step.answer;
      else next = step.enquiry;
    }
  } catch (error) {
    // Every attempt is on record, and the deadline answers (RES-1).
    if (!(error instanceof ActivityFailure || isCancellation(error))) throw error;
  }
}

const asked = { directory: 'The proxy directory', 'creditor-agent': 'The creditor agent' } as const;

function story(answer: ResolutionAnswer): string {
  return answer.reasonCode === null
    ? `Answered ${answer.verified}.`
    : `Answered ${answer.verified} (${answer.reasonCode}).`;
}
