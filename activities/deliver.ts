// Brings what is due of a payment to its receivers: callback, confirmation, fxtr.017 (CBK-1, CBK-4). All that is due is
// sent side by side; what fails stays due, and Temporal calls again when the next one is. Bytes are as stored.
import { ApplicationFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import { refuseCallbackAddress } from '../core/callback-address.ts';
import { nextAttempt, type NextAttempt } from '../core/delivery-schedule.ts';
import { recordAudit } from '../db/audit.ts';
import { claimDue, nextDueInMs, settleAttempt, type ClaimedAttempt } from '../db/deliveries.ts';
import type { DeliveryActivities } from './contract.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { describe } from './forward-payment.ts';
import { withHeartbeat } from './heartbeat.ts';
import type { PostResult } from './outbound-http.ts';

const maxExcerptBytes = 1_024; // CBK-4

export function createDeliver(deps: ActivityDependencies): DeliveryActivities['deliver'] {
  return async function deliver({ uetr }): Promise<void> {
    const { attempts, areAll } = await claimDue(deps.db, uetr);
    const results = await withHeartbeat(() =>
      Promise.all(attempts.map((attempt) => deliverOnce(deps, uetr, attempt))),
    );
    if (areAll && results.every(({ isOpen }) => !isOpen)) return;
    const waitMs = await nextDueInMs(deps.db, uetr);
    if (waitMs === undefined) return;
    throw ApplicationFailure.create({
      type: 'NotYetDelivered',
      message: results.map(({ story }) => story).join('; ') || 'waiting for the next attempt',
      category: ApplicationFailureCategory.BENIGN,
      nextRetryDelay: waitMs,
    });
  };
}

/** What came of one attempt. */
interface DeliveryResult {
  /** Whether another attempt follows. */
  readonly isOpen: boolean;
  /** What an operator reads in the Temporal UI. */
  readonly story: string;
}

/** One attempt, recorded. */
async function deliverOnce(
  deps: ActivityDependencies,
  uetr: string,
  attempt: ClaimedAttempt,
): Promise<DeliveryResult> {
  const startedAt = performance.now();
  const result = await post(deps, attempt);
  const durationMs = Math.round(performance.now() - startedAt);
  const isDelivered = result.outcome === 'ANSWERED' && result.status >= 200 && result.status < 300;
  const next = isDelivered ? ({ kind: 'delivered' } as const) : follow(attempt, result);
  await settleAttempt(deps.db, {
    deliveryId: attempt.deliveryId,
    attempt: attempt.attempt,
    outcome: result.outcome,
    httpStatus: result.outcome === 'ANSWERED' ? result.status : null,
    durationMs,
    errorClass: result.outcome === 'ANSWERED' ? null : result.errorClass,
    responseExcerpt: result.outcome === 'ANSWERED' && !isDelivered ? excerpt(result.body) : null,
    next,
  });
  if (next.kind === 'closed') {
    await recordAudit(deps.db, {
      severity: 'alert',
      kind: 'delivery.dead-letter',
      uetr,
      party: attempt.party,
      detail: { deliveryId: attempt.deliveryId, kind: attempt.kind, reason: next.reason },
    });
  }
  const story = `${attempt.kind} to ${attempt.party}: ${describe(result)}`;
  return { isOpen: next.kind === 'retry', story };
}

async function post(deps: ActivityDependencies, attempt: ClaimedAttempt): Promise<PostResult> {
  if (attempt.kind === 'callback' && !isStillRegistered(deps, attempt)) {
    return { outcome: 'NOT_SENT', errorClass: 'address-not-registered' };
  }
  return deps.http.post(attempt.url, attempt.body, {
    'content-type': 'application/xml; charset=utf-8',
    'webhook-id': attempt.messageIdentification, // CBK-2
  });
}

/** SEC-2: what was registered at submission may have been withdrawn since. */
function isStillRegistered(deps: ActivityDependencies, attempt: ClaimedAttempt): boolean {
  const reference = deps.reference();
  const system = reference.clearingSystems.get(attempt.party);
  const origins = (system && reference.operators.get(system.operatorId)?.callbackOrigins) ?? [];
  const policy = { origins, allowLoopbackHttp: deps.allowLoopbackCallbacks };
  return refuseCallbackAddress(attempt.url, policy) === undefined;
}

function follow(attempt: ClaimedAttempt, result: PostResult): NextAttempt {
  const answered = result.outcome === 'ANSWERED';
  return nextAttempt({
    attempts: attempt.attemptSinceAsked,
    elapsedMs: Date.now() - attempt.askedAt,
    httpStatus: answered ? result.status : null,
    retryAfterMs: answered ? result.retryAfterMs : null,
    random: Math.random(),
  });
}

function excerpt(body: Buffer): string {
  return body.subarray(0, maxExcerptBytes).toString('utf8').replaceAll('\u0000', '');
}
