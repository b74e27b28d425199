// Sends a stored acmt.023 to the operator of a proxy directory or of a creditor agent, once per call, and stores what it
// answers in the HTTP response (RES-2). The claim is committed before the socket opens; it decides nothing.
import { createHash, randomUUID } from 'node:crypto';
import { activityInfo, ApplicationFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import { findRequestMismatch } from '../core/resolution.ts';
import { recordAudit } from '../db/audit.ts';
import { claimInstruction, settleAttempt, type ClaimedAttempt } from '../db/deliveries.ts';
import { recordReceived } from '../db/messages.ts';
import { parseAnswer } from '../xml/read-answer.ts';
import { addressOf } from './addresses.ts';
import type { EnquiryActivities } from './contract.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { describe, roundOf } from './forward-payment.ts';
import { withHeartbeat } from './heartbeat.ts';
import type { PostResult } from './outbound-http.ts';
import { openRequest } from './resolution-messages.ts';

const followMs = 100; // what it takes to store an answer and draw its consequence before the deadline
const repeatDelaysSeconds = [1, 2, 5]; // as TIM-3; a request that is read twice does no harm

export function createAskResolution(deps: ActivityDependencies): EnquiryActivities['askResolution'] {
  return async function askResolution({ resolutionId, deliveryId, deadlineAt }) {
    const remainingMs = deadlineAt - followMs - Date.now();
    const attempt = remainingMs <= 0 ? undefined : await claimInstruction(deps.db, deliveryId, roundOf());
    if (attempt === undefined) throw tooLate();
    const startedAt = performance.now();
    const headers = { 'content-type': 'application/xml; charset=utf-8' };
    const address = addressOf(deps, attempt);
    if (address === undefined) throw tooLate();
    const result = await withHeartbeat(() => deps.http.post(address.url, attempt.body, headers, remainingMs));
    const reportMessageId = await takeAnswer(deps, { resolutionId, attempt }, result);
    await settle(deps, attempt, {
      result,
      durationMs: Math.round(performance.now() - startedAt),
      isAnswered: reportMessageId !== undefined,
    });
    if (reportMessageId !== undefined) return { reportMessageId };
    const delay = repeatDelaysSeconds[activityInfo().attempt - 1];
    throw ApplicationFailure.create({
      type: 'PartyDidNotAnswer',
      message: `${attempt.party}: ${describe(result)}`,
      category: ApplicationFailureCategory.BENIGN,
      ...(delay === undefined ? {} : { nextRetryDelay: `${delay}s` }),
    });
  };
}

/** Answered meanwhile, or the deadline has come: nothing is sent any more. */
function tooLate(): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'TooLate',
    message: 'answered already, or past the deadline',
    nonRetryable: true,
    category: ApplicationFailureCategory.BENIGN,
  });
}

/** Id of the stored acmt.024; undefined when the party said nothing that counts. */
async function takeAnswer(
  deps: ActivityDependencies,
  { resolutionId, attempt }: { readonly resolutionId: string; readonly attempt: ClaimedAttempt },
  result: PostResult,
): Promise<string | undefined> {
  if (result.outcome !== 'ANSWERED' || result.status !== 200) return undefined;
  const reading = await parseAnswer(deps.engine, result.body);
  if (reading?.ok !== true) return distrust(deps, resolutionId, attempt, 'not a valid acmt.024');
  const { value } = reading;
  const asked = await openRequest(deps.engine, attempt);
  const mismatch = findRequestMismatch(value, asked.references);
  if (mismatch !== undefined) return distrust(deps, resolutionId, attempt, `${mismatch} is not ours`);
  const { messageId } = await recordReceived(deps.db, {
    messageId: randomUUID(),
    uetr: resolutionId,
    type: 'acmt024',
    identification: value.messageId,
    leg: 'destination',
    party: attempt.party,
    status: String(value.verified),
    reasonCode: value.reasonCode,
    body: result.body,
    sha256: createHash('sha256').update(result.body).digest(),
  });
  return messageId;
}

/** An answer that cannot be about this request decides nothing; a person must look. */
async function distrust(
  deps: ActivityDependencies,
  resolutionId: string,
  { party }: ClaimedAttempt,
  reason: string,
): Promise<undefined> {
  await recordAudit(deps.db, {
    severity: 'alert',
    kind: 'resolution.answer-refused',
    uetr: resolutionId,
    party,
    detail: { reason },
  });
  return undefined;
}

function settle(
  deps: ActivityDependencies,
  { deliveryId, attempt, asks, url }: ClaimedAttempt,
  exchange: { readonly result: PostResult; readonly durationMs: number; readonly isAnswered: boolean },
): Promise<void> {
  const { result, durationMs, isAnswered } = exchange;
  const answered = result.outcome === 'ANSWERED';
  const isServerError = answered && result.status >= 500; // TIM-3
  return settleAttempt(deps.db, {
    deliveryId,
    attempt,
    asks,
    url,
    outcome: isServerError ? 'MAYBE_SENT' : result.outcome,
    httpStatus: answered ? result.status : null,
    durationMs,
    errorClass: answered ? null : result.errorClass,
    responseExcerpt: null, // its acmt.024 is stored as a message; anything else may hold personal data
    next: isAnswered ? { kind: 'delivered' } : { kind: 'retry', inMs: 0 },
  });
}
