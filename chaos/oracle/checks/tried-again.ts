// What failed is tried again: an instruction within its round (TIM-3), a delivery once its receiver is well (CBK-1,
// CBK-3). The other half of the schedule, that nothing comes too early, is in schedule.ts.
import { clock, instant } from '../rows.ts';
import { destinationOf, toldKinds } from '../receivers.ts';
import type { Report } from '../verdict.ts';
import { type Delivery, type Payment, type World } from '../world.ts';
import { standingOf } from './lines.ts';

const second = 1_000;
const retriesMs: readonly number[] = [1, 2, 5].map((one) => one * second); // TIM-3
const patienceMs = 25 * second; // an open breaker, two probes long, and a busy machine
/** Delays of CBK-1, as far as runs reach. */
const delaysMs: readonly number[] = [1, 2, 5, 10, 30, 60, 120, 300, 900].map((one) => one * second);
const probeMs = 60 * second; // the longest that an open breaker holds anything back (CBK-3)
const sweptMs = 50 * second; // who lost its execution is found by then (LIF-2)

export function judgeTriedAgain(world: World, report: Report): void {
  judgeRetries(world, report);
  judgeHeldBack(world, report);
}

/**
 * TIM-3: after a 5xx, a reset or a timeout the same bytes are sent again. A send or two may be joined with one that
 * nobody sees, so that it counts only if it is the rule.
 */
function judgeRetries(world: World, report: Report): void {
  const due = world.payments.flatMap((payment) => dueRetries(world, payment));
  report.examined('R:TIM-3', 'sends that failed while nothing was broken', due.length);
  const judged = due.filter(
    ({ isMade, uetr, from, to }) =>
      isMade ||
      !report.isUnjudged('R:TIM-3', 'An instruction that failed was not sent again.', uetr, { from, to }),
  );
  const missed = judged.filter(({ isMade }) => !isMade);
  if (missed.length < 3 || missed.length * 4 < judged.length) return;
  const [first] = missed;
  const statement = `${missed.length} of ${judged.length} instructions that failed were not sent again (TIM-3).`;
  report.breach(
    'R:TIM-3',
    statement,
    first?.uetr ?? '',
    missed.map(({ uetr, shown }) => `${uetr}: ${shown}`),
  );
}

interface DueRetry {
  readonly uetr: string;
  readonly isMade: boolean;
  readonly from: number;
  readonly to: number;
  readonly shown: string;
}

/** The first failure of each payment: what follows it may be another round's. */
function dueRetries(world: World, payment: Payment): readonly DueRetry[] {
  const { uetr, deliveries, decidedAt = Infinity, deadlineAt = Infinity } = payment;
  const [first, next] = deliveries['instruction']?.attempts ?? [];
  const { finishedAt, startedAt = 0, httpStatus = 0 } = first ?? {};
  const destination = destinationOf(world.reference, payment.row.destination_clearing_system);
  const isFailed =
    httpStatus >= 500 || first?.row.outcome === 'MAYBE_SENT' || first?.row.outcome === 'NOT_SENT';
  if (finishedAt === undefined || !isFailed || httpStatus === 200) return [];
  const until = finishedAt + (retriesMs[0] ?? 0) + patienceMs;
  if (Math.min(decidedAt, deadlineAt, world.quiet.endAt) < until) {
    // decided by then: a late final, or by the retry itself
    if (next === undefined || next.startedAt > until) return [];
  }
  if (!world.quiet.isCalm([destination], startedAt - 5 * second, until)) return [];
  const isMade = next !== undefined && next.startedAt <= until;
  return [
    {
      uetr,
      isMade,
      from: finishedAt,
      to: until,
      shown: `failed ${clock(finishedAt)}, next ${next?.row.started_at ?? 'never'}`,
    },
  ];
}

/**
 * CBK-3: a breaker lets a probe through after a minute at most. What is due is tried by then, once its receiver is well
 * again.
 */
function judgeHeldBack({ deliveries, quiet, evidence }: World, report: Report): void {
  const healedAt = instant(evidence.run.healedAt);
  const open = deliveries.filter(
    ({ row, deliveredAt, closedAt }) =>
      toldKinds.includes(row.kind) && deliveredAt === undefined && closedAt === undefined,
  );
  report.examined('R:CBK-3', 'deliveries', deliveries.length);
  report.examined('R:CBK-3', 'deliveries that are still open', open.length);
  for (const delivery of open) {
    const from = Math.max(dueOf(delivery), healedAt);
    if (from + probeMs + sweptMs > quiet.endAt) continue;
    report.breach(
      'R:CBK-3',
      'A delivery is still held back, though it was due long ago and its receiver is well.',
      delivery.row.subject_id,
      [`due ${clock(dueOf(delivery))}, healed ${clock(healedAt)}`, standingOf(delivery)],
    );
  }
}

/** When its next attempt is due by CBK-1, counted from what is on record; a Retry-After makes it later. */
function dueOf({ row, attempts }: Delivery): number {
  const askedAt = instant(row.asked_at);
  const since = attempts.filter(({ startedAt }) => startedAt >= askedAt);
  const last = since.at(-1);
  if (last === undefined) return askedAt;
  const delayMs = delaysMs[Math.min(since.length, delaysMs.length) - 1] ?? second;
  return (last.finishedAt ?? last.startedAt + 15 * second) + delayMs * 1.2;
}
