// Sends a stored acmt.023 to the operator of a proxy directory or of a creditor agent, once per call, and stores what it
// answers in the HTTP response (RES-2). The claim is committed before the socket opens; it decides nothing.
import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import type { RequestReferences } from '../core/iso20022/acmt023.ts';
import { findRequestMismatch } from '../core/resolution.ts';
import { recordAuditOnce } from '../db/audit.ts';
import { settleAttempt } from '../db/deliveries.ts';
import { claimEnquiry, loadEnquiry, type ClaimedEnquiry } from '../db/enquiries.ts';
import { recordReceived } from '../db/messages.ts';
import { parseMessage } from '../xml/read-message.ts';
import { addressOf } from './addresses.ts';
import type { EnquiryActivities } from '../contract/activities.ts';
import { boundDefects } from './defects.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { describe } from './forward-payment.ts';
import { withHeartbeat } from './heartbeat.ts';
import { claimForMs, outlast, tryAgain } from './failures.ts';
import type { Admission, PostResult } from './outbound-http.ts';
import { assigneeOf, openRequest } from './resolution-messages.ts';

const followMs = 100; // what it takes to store an answer and draw its consequence before the deadline
const repeatDelaysSeconds = [1, 2, 5]; // as TIM-3; a request that is read twice does no harm

/** What is asked, by the ids that its answer must repeat. */
interface Asked {
  readonly resolutionId: string;
  readonly attempt: ClaimedEnquiry;
  readonly references: RequestReferences;
}

export function createAskResolution(deps: ActivityDependencies): EnquiryActivities['askResolution'] {
  return function askResolution({ resolutionId, deliveryId }) {
    return withHeartbeat(async () => {
      const enquiry = await loadEnquiry(deps.db, deliveryId);
      const { reportMessageId } = enquiry;
      if (reportMessageId !== undefined) return { reportMessageId };
      const { reading, references } = await openRequest(deps.engine, enquiry);
      const address = addressOf(deps, { kind: 'directory-enquiry', party: enquiry.party, url: null })?.url;
      if (address === undefined) throw again('AddressWithdrawn', `${enquiry.party} has no address`);
      const admission = deps.http.enterFor(address, reading.ok ? assigneeOf(reading.value) : '');
      if (!admission.admitted) {
        throw again('Held', `${enquiry.party}: ${admission.reason}`, admission.retryInMs);
      }
      try {
        const claimed = await claim(deps, deliveryId);
        if (claimed === undefined) throw tooLate();
        const { attempt, until } = claimed;
        return await askOnce(deps, { admission, address, until }, { resolutionId, attempt, references });
      } finally {
        admission.leave(); // where it was not sent
      }
    });
  };
}

/** One send, and until when it is of use: `performance.now()`. A claim whose answer is lost is asked for again. */
function claim(
  { db }: ActivityDependencies,
  deliveryId: string,
): Promise<{ attempt: ClaimedEnquiry; until: number } | undefined> {
  const options = { followMs, claim: randomUUID() };
  return outlast(async () => {
    const askedAt = performance.now(); // before the database says how long there is: rather too early than too late
    const attempt = await claimEnquiry(db, deliveryId, options);
    return attempt && { attempt, until: askedAt + attempt.remainingMs - followMs };
  }, claimForMs);
}

/** Where a send goes, and until when it is of use: `performance.now()`. */
interface Way {
  readonly admission: Admission;
  readonly address: string;
  readonly until: number;
}

/** One send, recorded. */
async function askOnce(
  deps: ActivityDependencies,
  { admission, address, until }: Way,
  asked: Asked,
): Promise<{ reportMessageId: string }> {
  const { attempt } = asked;
  const startedAt = performance.now();
  const headers = { 'content-type': 'application/xml; charset=utf-8' };
  const limits = { timeoutMs: Math.max(1, until - startedAt), sendBefore: until }; // RES-1
  const result = await admission.post(address, attempt.body, headers, limits);
  const reportMessageId = await takeAnswer(deps, asked, result);
  await settle(deps, attempt, {
    url: address,
    result,
    durationMs: Math.round(performance.now() - startedAt),
    isAnswered: reportMessageId !== undefined,
  });
  if (reportMessageId !== undefined) return { reportMessageId };
  const delaySeconds = repeatDelaysSeconds[attempt.attempt - 1] ?? 1;
  throw again('PartyDidNotAnswer', `${attempt.party}: ${describe(result)}`, delaySeconds * 1_000);
}

/** To be tried again, as long as there is time. */
function again(type: string, message: string, inMs = 1_000): ApplicationFailure {
  return tryAgain(type, message, inMs);
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
  asked: Asked,
  result: PostResult,
): Promise<string | undefined> {
  if (result.outcome !== 'ANSWERED' || result.status !== 200) return undefined;
  if (result.truncated) return distrust(deps, asked, 'not a whole message');
  return boundDefects(
    deps.logger,
    () => judgeAnswer(deps, asked, result.body),
    () => distrust(deps, asked, 'it could not be judged'), // SEC-9
  );
}

async function judgeAnswer(
  deps: ActivityDependencies,
  asked: Asked,
  body: Buffer,
): Promise<string | undefined> {
  const reading = await parseMessage(deps.engine, 'acmt024', body);
  if (!reading.ok) return distrust(deps, asked, `not a valid acmt.024: ${reading.rejection}`);
  const { value } = reading;
  const mismatch = findRequestMismatch(value, asked.references);
  if (mismatch !== undefined) return distrust(deps, asked, `${mismatch} is not ours`);
  const { messageId } = await recordReceived(deps.db, {
    uetr: asked.resolutionId,
    type: 'acmt024',
    identification: value.messageId,
    leg: 'destination',
    party: asked.attempt.party,
    status: String(value.verified),
    reasonCode: value.reasonCode,
    inReplyTo: asked.attempt.messageId,
    body,
  });
  return messageId;
}

/** An answer that cannot be about this request decides nothing; a person must look. */
async function distrust(
  deps: ActivityDependencies,
  { resolutionId, attempt }: Asked,
  reason: string,
): Promise<undefined> {
  const event = {
    severity: 'alert',
    kind: 'resolution.answer-refused',
    uetr: resolutionId,
    party: attempt.party,
    detail: { reason },
  } as const;
  await recordAuditOnce(deps.db, event, 'detail'); // not once per attempt
  return undefined;
}

function settle(
  deps: ActivityDependencies,
  { deliveryId, attempt, asks }: ClaimedEnquiry,
  exchange: {
    readonly url: string;
    readonly result: PostResult;
    readonly durationMs: number;
    readonly isAnswered: boolean;
  },
): Promise<void> {
  const { url, result, durationMs, isAnswered } = exchange;
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
