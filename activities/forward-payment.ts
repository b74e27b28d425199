// Sends the stored instruction to the destination, once per call, and reads what it answers (PAY-8, TIM-3).
// The claim is committed before the socket opens; a payment that is decided, or past its deadline, is never sent again.
import { randomUUID } from 'node:crypto';
import { activityInfo } from '@temporalio/activity';
import { recordAuditOnce } from '../db/audit.ts';
import {
  claimInstruction,
  partyOf,
  settleAttempt,
  untilLastAttempt,
  type ClaimedAttempt,
} from '../db/deliveries.ts';
import { loadDecidable, withdrawConfirmation } from '../db/decisions.ts';
import { takeReport } from '../db/reports.ts';
import { parseMessage } from '../xml/read-message.ts';
import { addressOf } from './addresses.ts';
import type { DestinationAnswer, ForwardingActivities } from '../contract/activities.ts';
import { boundDefects } from './defects.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { claimForMs, outlast, tryAgain } from './failures.ts';
import { withHeartbeat } from './heartbeat.ts';
import type { Admission, PostResult } from './outbound-http.ts';

const repeatDelaysMs = [1_000, 2_000, 5_000]; // TIM-3

export function createForwardPayment(deps: ActivityDependencies): ForwardingActivities['forwardPayment'] {
  return ({ uetr, deliveryId, destinationSystem }) =>
    withHeartbeat(async (): Promise<DestinationAnswer> => {
      const party = destinationSystem ?? (await partyOf(deps.db, deliveryId));
      const way = await enter(deps, party, deliveryId);
      const claimed = await claim(deps, deliveryId, way);
      if (claimed === undefined) return { kind: 'late' }; // what an attempt that was lost has left may be due
      const { attempt, askedAt } = claimed;
      const url = way?.url ?? null;
      const result = await post(attempt, way, askedAt);
      const payment = { uetr, party };
      const answer = await boundDefects(
        deps.logger,
        () => outlast(() => readAnswer(deps, payment, result)),
        () => distrust(deps, payment, 'it could not be judged'), // SEC-9
      );
      const durationMs = Math.round(performance.now() - askedAt);
      await outlast(() => settle(deps, attempt, { url, result, durationMs, counts: answer !== undefined }));
      if (result.outcome === 'NOT_SENT') await outlast(() => withdrawConfirmation(deps.db, deliveryId));
      if (answer !== undefined) return answer;
      const delayMs = repeatDelaysMs[attempt.attemptSinceAsked - 1];
      const isUnreached = way?.isLast === true && result.outcome === 'NOT_SENT';
      if (delayMs === undefined || isUnreached) return { kind: 'unanswered' };
      throw tryAgain('DestinationDidNotAnswer', `${party}: ${describe(result)}`, delayMs);
    });
}

/** Where it goes, and the place taken there. */
interface Way {
  readonly url: string;
  readonly admission: Admission;
  /** The one attempt without which the payment could not be rejected (TIM-3). */
  readonly isLast?: boolean;
}

/**
 * A place at the destination's gate; undefined where it has no address. Who is held holds nothing meanwhile (CBK-3). A
 * payment that no breaker has let through for 60 s is tried all the same: it is rejected after an attempt of its own only.
 */
async function enter(
  deps: ActivityDependencies,
  party: string,
  deliveryId: string,
): Promise<Way | undefined> {
  const address = addressOf(deps, { kind: 'instruction', party, url: null });
  if (address === undefined) return undefined;
  const { receiver, url } = address;
  const admission = deps.http.enter(receiver);
  if (admission.admitted) return { url, admission };
  const untilLastMs = await untilLastAttempt(deps.db, deliveryId);
  const last = untilLastMs <= 0 ? deps.http.enterAnyway(receiver) : admission;
  if (last.admitted) return { url, admission: last, isLast: true };
  throw tryAgain(
    'Held',
    `${party}: ${last.reason}`,
    Math.min(last.retryInMs, Math.max(untilLastMs, 0) || Infinity),
  );
}

/** One send that may be made. */
interface Claimed {
  readonly attempt: ClaimedAttempt;
  /** `performance.now()` just before the database said how long there is. */
  readonly askedAt: number;
}

/**
 * The sends of one activity are one round, however often our own faults interrupt it (TIM-3). A claim whose answer is lost
 * is asked for again, for only this call knows that it was not sent.
 */
async function claim(
  deps: ActivityDependencies,
  deliveryId: string,
  way: Way | undefined,
): Promise<Claimed | undefined> {
  const ids = { round: roundOf(), claim: randomUUID() };
  let claimed: Claimed | undefined;
  try {
    claimed = await outlast(async () => {
      const askedAt = performance.now();
      const attempt = await claimInstruction(deps.db, deliveryId, ids);
      return attempt && { attempt, askedAt };
    }, claimForMs);
  } finally {
    if (claimed === undefined) way?.admission.leave();
  }
  return claimed;
}

/** What the repeats of one activity are counted in (TIM-3). */
function roundOf(): string {
  const { workflowExecution, activityId } = activityInfo();
  return `${workflowExecution?.runId ?? ''}/${activityId}`;
}

/** @param askedAt before the claim: counted from there, what the deadline leaves is never too much (TIM-1) */
async function post(
  { remainingMs, body }: ClaimedAttempt,
  way: Way | undefined,
  askedAt: number,
): Promise<PostResult> {
  if (way === undefined) return { outcome: 'NOT_SENT', errorClass: 'address-not-registered' };
  const headers = { 'content-type': 'application/xml; charset=utf-8' };
  const limits = remainingMs === null ? {} : { sendBefore: askedAt + remainingMs };
  return way.admission.post(way.url, body, headers, limits);
}

/** What the destination said; undefined when it said nothing that counts. */
async function readAnswer(
  deps: ActivityDependencies,
  payment: { readonly uetr: string; readonly party: string },
  result: PostResult,
): Promise<DestinationAnswer | undefined> {
  if (result.outcome !== 'ANSWERED') return undefined;
  if (result.status === 202) return { kind: 'pending' };
  if (result.status !== 200) return undefined;
  if (result.truncated) return distrust(deps, payment, 'not a whole message');
  const reading = await parseMessage(deps.engine, 'pacs002', result.body);
  if (!reading.ok) return distrust(deps, payment, `not a valid pacs.002: ${reading.rejection}`);
  const decidable = await loadDecidable(deps.db, payment.uetr, null);
  const report = { values: reading.value, body: result.body, answeredInPlace: true };
  const taken = await takeReport(deps.db, decidable, report);
  switch (taken.kind) {
    case 'mismatch':
      return distrust(deps, payment, `${taken.element} is not ours`);
    case 'interim':
      return { kind: 'pending' };
    case 'final':
      return taken;
    case 'late':
      return { kind: 'late' };
  }
}

/** An answer that cannot be about this payment decides nothing; a person must look. */
async function distrust(
  deps: ActivityDependencies,
  payment: { readonly uetr: string; readonly party: string },
  reason: string,
): Promise<undefined> {
  const { uetr, party } = payment;
  const event = {
    severity: 'alert',
    kind: 'destination.answer-refused',
    uetr,
    party,
    detail: { reason },
  } as const;
  await recordAuditOnce(deps.db, event, 'detail'); // not once per attempt
  return undefined;
}

function settle(
  deps: ActivityDependencies,
  attempt: ClaimedAttempt,
  exchange: {
    readonly url: string | null;
    readonly result: PostResult;
    readonly durationMs: number;
    /** Whether what it answered is an answer to the instruction (PAY-8). */
    readonly counts: boolean;
  },
) {
  const { url, result, durationMs, counts } = exchange;
  const answered = result.outcome === 'ANSWERED';
  const isServerError = answered && result.status >= 500; // TIM-3: it may have been read, and worse
  return settleAttempt(deps.db, {
    deliveryId: attempt.deliveryId,
    attempt: attempt.attempt,
    asks: attempt.asks,
    url,
    outcome: isServerError ? 'MAYBE_SENT' : result.outcome,
    httpStatus: answered ? result.status : null,
    durationMs,
    errorClass: answered ? null : result.errorClass,
    responseExcerpt: null, // its pacs.002 is stored as a message; anything else may hold personal data
    next: counts ? { kind: 'delivered' } : { kind: 'retry', inMs: 0 },
  });
}

export function describe(result: PostResult): string {
  return result.outcome === 'ANSWERED' ? `HTTP ${result.status}` : `${result.outcome} (${result.errorClass})`;
}
