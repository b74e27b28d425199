// Makes the due deliveries of a payment or resolution: callback, confirmation and fxtr.017. They are sent in
// parallel. A failed delivery stays due, and Temporal retries this activity when the next delivery is due.
import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/activity';
import { giveUpAfterMs } from '../../core/deliveries/delivery-schedule.ts';
import { parseQueueAddress } from '../../core/deliveries/queue-address.ts';
import {
  claimDue,
  deferDelivery,
  expireDelivery,
  listOpen,
  type ClaimedAttempt,
  type Following,
  type OpenDelivery,
} from '../../db/deliveries/deliveries.ts';
import type { Carrier, DeliveryActivities } from '../../contract/activities.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { claimForMs, failure, outlast } from '../failures.ts';
import { withHeartbeat } from '../heartbeat.ts';
import type { Held } from '../wire/outbound.ts';
import { addressOf } from './addresses.ts';
import { enter, send, type Way } from './send.ts';

// While one attempt runs, this call also starts the other deliveries that become due.
// Afterwards it starts no more sends, so that it ends within startToCloseTimeout even if a receiver hangs.
const startsForMs = 12_000;
// A longer wait at a full gate is recorded. This is half of the time after which the sweep steps in.
const heldMs = 30_000;
const shortMs = 1_000;
const takenElsewhereMs = 5_000; // When to retry a delivery that another process has claimed.

interface Scheduled {
  readonly delivery: OpenDelivery;
  dueAt: number;
}

export function createDeliver(deps: ActivityDependencies): DeliveryActivities['deliver'] {
  return ({ subjectId, by }) => withHeartbeat(() => deliverOpen(deps, subjectId, by));
}

function carrierOf(deps: ActivityDependencies, delivery: OpenDelivery): Carrier {
  const address = addressOf(deps, delivery);
  return address !== undefined && parseQueueAddress(address.url) !== undefined ? 'amqp' : 'http';
}

/**
 * Whether an open delivery goes to a queue. First expires the deliveries that are too old, because without a
 * worker for queues nothing else would expire them.
 */
async function needsAmqp(deps: ActivityDependencies, listed: readonly OpenDelivery[]): Promise<boolean> {
  let isNeeded = false;
  for (const one of listed.filter((open) => carrierOf(deps, open) === 'amqp')) {
    const isGivenUp = one.elapsedMs >= giveUpAfterMs && (await expireDelivery(deps.db, one.deliveryId));
    isNeeded ||= !isGivenUp;
  }
  return isNeeded;
}

/**
 * The work of the activity, without the heartbeat.
 * @throws a failure that states when the next attempt is due, unless every delivery is acknowledged or given
 * up
 */
async function deliverOpen(
  deps: ActivityDependencies,
  subjectId: string,
  by?: Carrier,
): ReturnType<DeliveryActivities['deliver']> {
  const startedAt = performance.now();
  const listed = await listOpen(deps.db, subjectId);
  if (by === undefined && (await needsAmqp(deps, listed))) return { needsAmqp: true };
  const carrier = by ?? 'http';
  const open = new Map(
    listed
      .filter((one) => carrierOf(deps, one) === carrier)
      .map((one) => [one.deliveryId, { delivery: one, dueAt: startedAt + one.dueInMs }]),
  );
  const call: Call = { subjectId, carrier, open, underWay: new Map(), stories: [], failures: [] };
  const { underWay, stories, failures } = call;
  for (;;) {
    const mayStart = failures.length === 0 && performance.now() - startedAt < startsForMs;
    if (mayStart && (await startDue(deps, call))) continue;
    if (underWay.size > 0) await firstOf(underWay.values(), mayStart ? nextDueInMs(call) : Infinity);
    else if (failures.length > 0) throw failures[0];
    else if (open.size === 0) return undefined;
    else {
      const message = stories.join('; ') || 'waiting for the next attempt';
      throw failure('NotYetDelivered', message, nextDueInMs(call));
    }
  }
}

/**
 * Like the activity with one try.
 * @returns whether each delivery is acknowledged or given up; not if one goes to a queue
 */
export async function deliverNow(deps: ActivityDependencies, subjectId: string): Promise<boolean> {
  try {
    return (await deliverOpen(deps, subjectId)) === undefined;
  } catch (error) {
    if (error instanceof ApplicationFailure) return false; // the next attempts are due later
    throw error;
  }
}

interface Call {
  readonly subjectId: string;
  readonly carrier: Carrier;
  readonly open: Map<string, Scheduled>;
  readonly underWay: Map<string, Promise<void>>;
  /** One text per attempt, for the Temporal UI. */
  readonly stories: string[];
  /**
   * Failures in this process. After the first one, no send begins. When the running sends have ended, it is
   * thrown.
   */
  readonly failures: unknown[];
}

function idleOf({ open, underWay }: Call): readonly Scheduled[] {
  return [...open.values()].filter(({ delivery }) => !underWay.has(delivery.deliveryId));
}

function nextDueInMs(call: Call): number {
  return Math.min(...idleOf(call).map(({ dueAt }) => dueAt - performance.now()));
}

/** Begins every attempt that is due and gets a place at its gate. @returns whether any attempt began */
async function startDue(deps: ActivityDependencies, call: Call): Promise<boolean> {
  const due = idleOf(call).filter(({ dueAt }) => dueAt <= performance.now());
  if (due.length === 0) return false;
  let attempts: readonly Admitted[] = [];
  try {
    attempts = await claimAdmitted(deps, due, call);
  } catch (error) {
    call.failures.push(error);
  }
  for (const { attempt, way } of attempts) {
    const { deliveryId } = attempt;
    const exchange = send(deps, { attempt, way, until: undefined, subjectId: call.subjectId })
      .then(
        ({ next, story }) => {
          call.stories.push(`${attempt.kind} to ${attempt.party}: ${story}`);
          follow(call, deliveryId, next);
        },
        (error: unknown) => void call.failures.push(error),
      )
      .finally(() => call.underWay.delete(deliveryId));
    call.underWay.set(deliveryId, exchange);
  }
  return attempts.length > 0;
}

async function firstOf(exchanges: Iterable<Promise<void>>, withinMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const due = new Promise<void>((resolve) => {
    if (Number.isFinite(withinMs)) timer = setTimeout(resolve, Math.max(1, withinMs));
  });
  try {
    await Promise.race([...exchanges, due]);
  } finally {
    clearTimeout(timer);
  }
}

function follow({ open }: Call, deliveryId: string, next: Following): void {
  const scheduled = open.get(deliveryId);
  if (next.kind === 'retry' && scheduled !== undefined) scheduled.dueAt = performance.now() + next.inMs;
  else open.delete(deliveryId);
}

interface Admitted {
  readonly attempt: ClaimedAttempt;
  readonly way: Way | undefined;
}

/**
 * Claims the due deliveries that get a place at their receiver's gate. The gate determines when the others
 * are due again. A delivery without an address is claimed too, but its attempt opens no socket.
 */
async function claimAdmitted(
  deps: ActivityDependencies,
  due: readonly Scheduled[],
  { carrier, open, stories }: Call,
): Promise<readonly Admitted[]> {
  const ways = new Map<string, Way | undefined>();
  let attempts: readonly ClaimedAttempt[] = [];
  try {
    for (const scheduled of due) {
      const { deliveryId, kind, party } = scheduled.delivery;
      if (carrierOf(deps, scheduled.delivery) !== carrier) {
        // The new address needs the other carrier, and the sweep will find this delivery.
        open.delete(deliveryId);
        continue;
      }
      const way = enter(deps, scheduled.delivery);
      if (way === undefined || way.admitted) ways.set(deliveryId, way);
      else {
        stories.push(`${kind} to ${party}: ${way.reason}`);
        await hold(deps, scheduled, { held: way, open });
      }
    }
    const claim = randomUUID();
    if (ways.size > 0) attempts = await outlast(() => claimDue(deps.db, [...ways.keys()], claim), claimForMs);
  } finally {
    for (const [deliveryId, way] of ways) {
      if (attempts.some((one) => one.deliveryId === deliveryId)) continue;
      way?.admission.leave();
      const scheduled = open.get(deliveryId);
      if (scheduled !== undefined) scheduled.dueAt = performance.now() + takenElsewhereMs;
    }
  }
  return attempts.map((attempt) => ({ attempt, way: ways.get(attempt.deliveryId) }));
}

/**
 * Postpones a delivery that got no place at the gate. Behind an open breaker, the breaker sets the next due
 * time, and the delivery expires at its usual age. At a full gate, the delivery is due when its turn is
 * likely. Short waits there are recorded just often enough to keep the sweep from stepping in.
 */
async function hold(
  deps: ActivityDependencies,
  scheduled: Scheduled,
  { held, open }: { readonly held: Held; readonly open: Map<string, Scheduled> },
): Promise<void> {
  const { deliveryId, elapsedMs, dueInMs } = scheduled.delivery;
  const inMs = held.takeTurn();
  scheduled.dueAt = performance.now() + inMs;
  if (held.reason !== 'breaker-open' && inMs < shortMs && dueInMs > -heldMs) return;
  if (elapsedMs < giveUpAfterMs) await deferDelivery(deps.db, deliveryId, inMs);
  else if (await expireDelivery(deps.db, deliveryId)) open.delete(deliveryId);
}
