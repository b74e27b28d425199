// Sends the stored instruction to the destination, once per call, and reads what it answers (PAY-8, TIM-3).
// The claim is committed before the socket opens; a payment that is decided is never sent again.
import { createHash, randomUUID } from 'node:crypto';
import { activityInfo, ApplicationFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import { findMismatch, isFinal } from '../core/report.ts';
import { recordAudit } from '../db/audit.ts';
import { claimInstruction, settleAttempt, type ClaimedAttempt } from '../db/deliveries.ts';
import { loadDecidable } from '../db/decisions.ts';
import { recordReceived } from '../db/messages.ts';
import { parseReport } from '../xml/read-report.ts';
import type { DestinationAnswer, ForwardingActivities } from './contract.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { withHeartbeat } from './heartbeat.ts';
import type { PostResult } from './outbound-http.ts';

const repeatDelaysSeconds = [1, 2, 5]; // TIM-3

export function createForwardPayment(deps: ActivityDependencies): ForwardingActivities['forwardPayment'] {
  return async function forwardPayment({ uetr, deliveryId }): Promise<DestinationAnswer> {
    const attempt = await claimInstruction(deps.db, deliveryId);
    if (attempt === undefined) return { kind: 'pending' };
    const startedAt = performance.now();
    const result = await withHeartbeat(() =>
      deps.http.post(attempt.url, attempt.body, { 'content-type': 'application/xml; charset=utf-8' }),
    );
    const answer = await readAnswer(deps, { uetr, party: attempt.party }, result);
    await settle(deps, attempt, result, Math.round(performance.now() - startedAt));
    if (answer !== undefined) return answer;
    const delay = repeatDelaysSeconds[activityInfo().attempt - 1];
    throw ApplicationFailure.create({
      type: 'DestinationDidNotAnswer',
      message: `${attempt.party}: ${describe(result)}`,
      category: ApplicationFailureCategory.BENIGN,
      ...(delay === undefined ? {} : { nextRetryDelay: `${delay}s` }),
    });
  };
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
  const reading = await parseReport(deps.engine, result.body);
  const { uetr, party } = payment;
  if (reading?.ok !== true) return distrust(deps, payment, 'not a valid pacs.002');
  const { report } = reading;
  const { destinationReferences } = await loadDecidable(deps.db, uetr, null);
  const mismatch = findMismatch(report, destinationReferences.original);
  if (mismatch !== undefined) return distrust(deps, payment, `${mismatch} is not ours`);
  const { messageId } = await recordReceived(deps.db, {
    messageId: randomUUID(),
    uetr,
    type: 'pacs002',
    identification: report.messageId,
    leg: 'destination',
    party,
    status: report.status,
    reasonCode: report.reasonCode,
    body: result.body,
    sha256: createHash('sha256').update(result.body).digest(),
  });
  return isFinal(report.status) ? { kind: 'final', reportMessageId: messageId } : { kind: 'pending' };
}

/** An answer that cannot be about this payment decides nothing; a person must look. */
async function distrust(
  deps: ActivityDependencies,
  payment: { readonly uetr: string; readonly party: string },
  reason: string,
): Promise<undefined> {
  await recordAudit(deps.db, {
    severity: 'alert',
    kind: 'destination.answer-refused',
    uetr: payment.uetr,
    party: payment.party,
    detail: { reason },
  });
  return undefined;
}

function settle(deps: ActivityDependencies, attempt: ClaimedAttempt, result: PostResult, durationMs: number) {
  const answered = result.outcome === 'ANSWERED';
  const isServerError = answered && result.status >= 500; // TIM-3: it may have been read, and worse
  return settleAttempt(deps.db, {
    deliveryId: attempt.deliveryId,
    attempt: attempt.attempt,
    outcome: isServerError ? 'MAYBE_SENT' : result.outcome,
    httpStatus: answered ? result.status : null,
    durationMs,
    errorClass: answered ? null : result.errorClass,
    responseExcerpt: null, // its pacs.002 is stored as a message; anything else may hold personal data
    next:
      answered && (result.status === 200 || result.status === 202)
        ? { kind: 'delivered' }
        : { kind: 'retry', inMs: 0 },
  });
}

export function describe(result: PostResult): string {
  return result.outcome === 'ANSWERED' ? `HTTP ${result.status}` : `${result.outcome} (${result.errorClass})`;
}
