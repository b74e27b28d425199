// Checks I-17 and the record of attempts (TIM-3), on which all other checks rely. The gateway commits an
// attempt before it opens the socket. Each attempt has the right outcome, and each delivery ends once.
import { clock, instant } from '../rows.ts';
import { receiverOf, toldKinds } from '../reference.ts';
import type { Report } from '../verdict.ts';
import { isArrival, isTaken, type Attempt, type Delivery, type World } from '../world.ts';
import { lineOfAttempt, standingOf } from './lines.ts';
import { delaysMs } from './schedule.ts';

const neglectedMs = 60_000; // I-17: the longest time for which a due delivery may wait
const probeMs = 60_000; // the longest time for which an open breaker holds back a delivery (CBK-3)
const sweptMs = 50_000; // the sweep finds a lost execution within this time (LIF-2)
const clockMs = 5; // the journal truncates times to milliseconds, the database does not
const attemptMs = 20_000; // longer than any attempt, including its record (SEC-5: 5 s to connect, 10 s in total)

export function judgeDeliveries(world: World, report: Report): void {
  const { deliveries, quiet } = world;
  const ends = deliveries.filter(({ row }) => toldKinds.includes(row.kind));
  report.examined('I-17', 'deliveries', ends.length);
  report.examined('R:SEC-5', 'attempts', deliveries.flatMap(({ attempts }) => attempts).length);
  report.examined('I-17', 'attempts', deliveries.flatMap(({ attempts }) => attempts).length);
  for (const delivery of deliveries) {
    judgeArrivals(world, report, delivery);
    judgeRecord(world, report, delivery);
    judgeDurations(world, report, delivery);
  }
  for (const delivery of ends) {
    judgeIds(report, delivery);
    judgeEnd(world, report, delivery);
    if (quiet.isSettled) judgeNeglect(world, report, delivery);
  }
  judgeStrays(world, report);
}

/** Whether an attempt with this outcome may have sent bytes. */
const mayHaveLeft = (outcome: string | null) => outcome !== 'NOT_SENT';

/**
 * Whether a fault may have sent the 2xx in place of the party. Such a 2xx still acknowledges the message
 * (CBK-4).
 */
function mayBeAnsweredByOthers(
  { quiet, reference }: World,
  { row }: Delivery,
  { startedAt, finishedAt = startedAt }: Attempt,
): boolean {
  return quiet.isAnsweredByOthers(receiverOf(reference, row), startedAt, finishedAt);
}

/** Whether the delivery is acknowledged although its receiver may never have seen the message. */
export function isTakenByOthers(world: World, delivery: Delivery): boolean {
  return delivery.attempts.some((one) => isTaken(one) && mayBeAnsweredByOthers(world, delivery, one));
}

/** Checks that each arrival has an attempt whose row is older than the arrival. */
function judgeArrivals(world: World, report: Report, delivery: Delivery): void {
  const { arrivals, attempts, row } = delivery;
  for (const [index, arrival] of arrivals.entries()) {
    const before = attempts.filter(({ startedAt }) => startedAt <= arrival.at + clockMs);
    const shown = [
      `arrival ${index + 1} at ${arrival.entry.party} ${arrival.entry.at}`,
      ...attempts.map(lineOfAttempt),
    ];
    if (before.length <= index) {
      const statement = `A ${row.kind} arrived more often than attempts are on record: an intent must be committed before the socket opens (TIM-3).`;
      report.breach('I-17', statement, row.subject_id, shown);
      return;
    }
    if (before.filter((one) => mayHaveLeft(one.row.outcome)).length <= index) {
      report.breach(
        'I-17',
        `A ${row.kind} arrived of which every attempt counts as NOT_SENT (TIM-3).`,
        row.subject_id,
        shown,
      );
      return;
    }
  }
  const taken = attempts.filter((one) => isTaken(one) && !mayBeAnsweredByOthers(world, delivery, one));
  const answered = arrivals.filter(
    ({ entry }) => (entry.httpStatus ?? 0) >= 200 && (entry.httpStatus ?? 0) < 300,
  );
  if (taken.length > answered.length) {
    report.breach('I-17', `A ${row.kind} counts as taken more often than it was.`, row.subject_id, [
      standingOf(delivery),
      `${answered.length} arrivals with 2xx`,
    ]);
  }
}

/**
 * CBK-1, CBK-2: every attempt carries the message's MsgId as webhook-id, so that the receiver recognises a
 * repeat.
 */
function judgeIds(report: Report, { arrivals, stored, row }: Delivery): void {
  const id = stored?.row.message_identification;
  const wrong = arrivals.find(({ entry }) => entry.headers?.['webhook-id'] !== id);
  if (wrong === undefined || id === undefined) return;
  const told = wrong.entry.headers?.['webhook-id'] ?? 'none';
  report.breach('R:CBK-1', `A ${row.kind} arrived under another id than its MsgId.`, row.subject_id, [
    `webhook-id ${told} instead of ${id}`,
    wrong.entry,
  ]);
}

/**
 * Checks that attempt numbers have no gaps, that the counter matches the rows, and that every older attempt
 * has an outcome.
 */
function judgeRecord(world: World, report: Report, delivery: Delivery): void {
  const { attempts, row } = delivery;
  const numbers = attempts.map((one) => Number(one.row.attempt));
  const isWhole =
    numbers.every((number, index) => number === index + 1) && numbers.length === Number(row.attempts);
  if (!isWhole) {
    report.breach('I-17', `The attempts of a ${row.kind} are not all on record (TIM-3).`, row.subject_id, [
      `counted ${row.attempts}`,
      `on record: ${numbers.join(', ')}`,
    ]);
  }
  for (const { startedAt, row: attempt } of attempts) {
    if (attempt.outcome !== null || startedAt > world.quiet.endAt - 2 * attemptMs) continue;
    if (!world.quiet.isCalm([], startedAt - attemptMs, startedAt + attemptMs)) continue;
    report.breach(
      'I-17',
      `An attempt of a ${row.kind} was never settled, though nothing of ours was broken (TIM-3).`,
      row.subject_id,
      [attempt],
    );
  }
}

/**
 * SEC-5: the worker gives up after 10 s if a receiver is silent or never ends its answer. The check ignores
 * attempts that faults in the gateway itself may have delayed.
 */
function judgeDurations({ quiet }: World, report: Report, { row, attempts }: Delivery): void {
  const endless = attempts.find(
    ({ startedAt, finishedAt = startedAt }) =>
      finishedAt - startedAt > attemptMs && !quiet.isOursBroken(startedAt, finishedAt, attemptMs),
  );
  if (endless === undefined) return;
  const { startedAt: from, finishedAt: to = from } = endless;
  const statement = `An attempt of a ${row.kind} took far longer than 10 s.`;
  report.late('R:SEC-5', statement, row.subject_id, [endless.row], { from, to });
}

/** CBK-1: a delivery ends either as delivered, or as a dead letter with an alert at the same time. */
function judgeEnd(world: World, report: Report, delivery: Delivery): void {
  const { row, deliveredAt, closedAt, attempts } = delivery;
  const shown = [standingOf(delivery)];
  if (deliveredAt !== undefined && closedAt !== undefined) {
    report.breach('I-17', 'A delivery has two ends.', row.subject_id, shown);
  }
  if (deliveredAt !== undefined) {
    if (!attempts.some(isTaken))
      report.breach('I-17', 'A delivery counts as delivered, and nobody took it.', row.subject_id, shown);
  }
  if (closedAt === undefined) return;
  // A redelivered delivery may have an earlier dead letter with a separate alert.
  const isTold = world.events.some(
    ({ kind, severity, detail, occurred_at: at }) =>
      kind === 'delivery.dead-letter' &&
      severity === 'alert' &&
      detail['deliveryId'] === row.delivery_id &&
      Math.abs(instant(at) - closedAt) <= 1_000,
  );
  if (!isTold) {
    report.breach(
      'I-17',
      'A delivery ended as a dead letter without an alert (CBK-1).',
      row.subject_id,
      shown,
    );
  }
  const age = closedAt - instant(row.asked_at);
  if (row.closed_reason !== 'gone' && age < 72 * 3_600_000 - 60_000) {
    report.breach(
      'I-17',
      'A delivery was given up before 72 hours had passed (CBK-1).',
      row.subject_id,
      shown,
    );
  }
  const isGone = attempts.some(({ httpStatus }) => httpStatus === 410);
  if (row.closed_reason === 'gone' && !isGone) {
    report.breach(
      'I-17',
      'A delivery was given up as gone, and nobody said so (CBK-1).',
      row.subject_id,
      shown,
    );
  }
}

/**
 * Checks that, in a healthy system, no delivery stays due for more than a minute without an attempt. A second
 * test does not trust next_due_at. It uses the schedule and the longest time for which an open breaker holds
 * back a delivery (CBK-1, CBK-3).
 */
function judgeNeglect({ quiet, evidence }: World, report: Report, delivery: Delivery): void {
  const { row, deliveredAt, closedAt, nextDueAt, attempts } = delivery;
  if (deliveredAt !== undefined || closedAt !== undefined) return;
  const askedAt = instant(row.asked_at);
  const since = attempts.filter(({ startedAt }) => startedAt >= askedAt);
  const last = since.at(-1);
  const delayMs = (delaysMs[Math.min(since.length, delaysMs.length) - 1] ?? 0) * 1.2; // CBK-1 varies each delay by up to 20 %
  const scheduledAt = (last?.finishedAt ?? last?.startedAt ?? askedAt) + delayMs + attemptMs;
  const heldUntil = Math.max(scheduledAt, instant(evidence.run.healedAt)) + probeMs + sweptMs;
  if (nextDueAt > quiet.endAt - neglectedMs && heldUntil > quiet.endAt) return;
  report.breach('I-17', 'A delivery is due for more than 60 s, and nobody attempts it.', row.subject_id, [
    standingOf(delivery),
    `due by the schedule ${clock(scheduledAt)}`,
  ]);
}

/** Reports arrivals whose bytes are not the message of any delivery. */
function judgeStrays(world: World, report: Report): void {
  const expected = new Set(world.deliveries.map(({ stored }) => stored?.sha256));
  const arrivals = world.evidence.journal.filter(isArrival);
  report.examined('I-17', 'arrivals at parties', arrivals.length);
  for (const entry of arrivals) {
    if (expected.has(entry.sha256)) continue;
    const { party, kind, messageId } = entry;
    const statement = `A ${kind} arrived at a party that is the message of no delivery (MSG-8).`;
    report.breach('I-11', statement, entry.uetr ?? messageId ?? party, [entry]);
  }
}
