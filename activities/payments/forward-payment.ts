// Sends the stored instruction to the destination, once per call, and processes the answer. It never sends a
// payment that is decided or past its deadline. A final answer decides the payment, and the parties are told.
import { activityInfo } from '@temporalio/activity';
import { retryDelayMs } from '../../core/deliveries/delivery-schedule.ts';
import { claimInstruction, type ClaimedAttempt } from '../../db/deliveries/deliveries.ts';
import { findDecidable, loadDecidable, withdrawConfirmation } from '../../db/payments/decisions.ts';
import { takeReport } from '../../db/payments/reports.ts';
import { untilEndOfRound } from '../../db/payments/unreachable.ts';
import { readAnswer } from '../../xml/read-message.ts';
import type { DestinationAnswer, ForwardingActivities } from '../../contract/activities.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { deliverNow } from '../deliveries/deliver.ts';
import { failure, outlast } from '../failures.ts';
import { withHeartbeat } from '../heartbeat.ts';
import { boundDefects } from '../upkeep/defects.ts';
import { decideByAnswer } from './decide-payment.ts';
import {
  claimSend,
  enter,
  isControl,
  ownFault,
  send,
  type AnswerBody,
  type Way,
} from '../deliveries/send.ts';

export function createForwardPayment(deps: ActivityDependencies): ForwardingActivities['forwardPayment'] {
  return ({ uetr, deliveryId, destinationSystem: party }) =>
    withHeartbeat(async (): Promise<DestinationAnswer> => {
      const entered = await enterOrWait(deps, party, deliveryId);
      if (entered === 'given up') return { kind: 'unanswered' };
      const { way, isLast } = entered;
      // All sends of one activity form one round, even if faults of Isthmus interrupt it.
      const round = roundOf();
      const claimed = await claimSend(way, (claim) =>
        claimInstruction(deps.db, deliveryId, { round, claim }),
      );
      if (claimed === undefined) return endedBefore(deps, uetr);
      const { attempt } = claimed;
      const read = (body: AnswerBody) => takeAnswer(deps, { uetr, attempt }, body);
      const sent = await send(deps, { ...claimed, way, subjectId: uetr, read });
      const { answer, outcome, story } = sent;
      if (outcome === 'NOT_SENT') await outlast(() => withdrawConfirmation(deps.db, deliveryId));
      if (answer?.kind === 'message') return end(deps, uetr, answer.value);
      if (answer?.kind === 'receipt') return { kind: 'pending' };
      if (sent.fault !== undefined) throw ownFault(sent.fault, attempt, `${party}: ${story}`);
      const delayMs = retryDelayMs(attempt.attemptSinceAsked);
      const isUnreached = isLast && outcome === 'NOT_SENT';
      if (delayMs === undefined || isUnreached) return { kind: 'unanswered' };
      throw failure('DestinationDidNotAnswer', `${party}: ${story}`, delayMs);
    });
}

/**
 * Enters the gate, or throws a failure that makes the activity wait. A NORM payment is rejected after 60 s if
 * no byte can have left, even if the breaker holds its retries longer. If it was tried before, the round ends
 * then. If not, it is tried once past the breaker, because a rejection needs one attempt; `isLast` marks that
 * attempt.
 */
async function enterOrWait(
  deps: ActivityDependencies,
  party: string,
  deliveryId: string,
): Promise<{ readonly way: Way | undefined; readonly isLast: boolean } | 'given up'> {
  const instruction = { kind: 'instruction', party, url: null } as const;
  const way = enter(deps, instruction);
  if (way === undefined || way.admitted) return { way, isLast: false };
  const end = await untilEndOfRound(deps.db, deliveryId);
  if (end.inMs > 0) {
    throw failure('Held', `${party}: ${way.reason}`, Math.min(way.takeTurn(end.deadlineInMs), end.inMs));
  }
  if (!end.needsTry) return 'given up';
  const last = enter(deps, instruction, { anyway: true });
  if (last === undefined || last.admitted) return { way: last, isLast: true };
  throw failure('Held', `${party}: ${last.reason}`, last.takeTurn());
}

/**
 * The instruction may not be sent any more. An earlier try of this activity may have written the decision, or
 * made a confirmation due, before its worker died. A restored database may lack the payment.
 */
async function endedBefore(deps: ActivityDependencies, uetr: string): Promise<DestinationAnswer> {
  const { decision = null } = (await findDecidable(deps.db, uetr)) ?? {};
  return decision === null ? { kind: 'late' } : { kind: 'decided', decision, isTold: false };
}

/** After a final status, decides and tells the parties. */
async function end(
  deps: ActivityDependencies,
  uetr: string,
  answer: DestinationAnswer,
): Promise<DestinationAnswer> {
  if (answer.kind !== 'final') return answer;
  const decision = await orLeave(deps, uetr, () => decideByAnswer(deps, uetr, answer.reportMessageId));
  if (decision === undefined) return answer;
  const isTold = await orLeave(deps, uetr, () => deliverNow(deps, uetr));
  return { kind: 'decided', decision, isTold: isTold ?? false };
}

/** Leaves a step that fails to the workflow. @returns undefined if it fails */
async function orLeave<T>(
  { logger }: ActivityDependencies,
  uetr: string,
  step: () => Promise<T>,
): Promise<T | undefined> {
  const defective = { logger, about: { uetr }, what: 'a step after a final status met a defect' } as const;
  try {
    return await boundDefects<T | undefined>(defective, step, () => Promise.resolve(undefined));
  } catch (error) {
    logger.warn({ err: error, uetr }, 'a step after a final status failed; the workflow does it');
    return undefined;
  }
}

/** The id of the round in which this activity counts its sends. */
function roundOf(): string {
  const { workflowExecution, activityId } = activityInfo();
  return `${workflowExecution?.runId ?? ''}/${activityId}`;
}

/** A 202 response may have any body. It is recorded as refused only if it may have been a pacs.002. */
const isNoReport = ({ body, truncated }: AnswerBody) =>
  !truncated && !body.includes('pacs.002') && !body.some(isControl);

/** Processes the pacs.002 in the response exactly like one that the destination sends to the api. */
async function takeAnswer(
  deps: ActivityDependencies,
  { uetr, attempt }: { readonly uetr: string; readonly attempt: ClaimedAttempt },
  answer: AnswerBody,
): Promise<DestinationAnswer | undefined> {
  const reading = await readAnswer(deps.engine, 'pacs002', answer);
  const isReceipt = !reading.ok && reading.refusal.reported === undefined && answer.status === 202;
  if (isReceipt && isNoReport(answer)) return undefined;
  const payment = await loadDecidable(deps.db, uetr, null);
  const { party, messageId: inReplyTo } = attempt;
  const taken = await takeReport(deps.db, payment, { reading, body: answer.body, party, inReplyTo });
  switch (taken.kind) {
    case 'invalid':
    case 'mismatch':
      return undefined;
    case 'interim': // Like a 202, because the final report comes later.
      return { kind: 'pending' };
    case 'final':
      return taken;
    case 'late':
      return { kind: 'late' };
  }
}
