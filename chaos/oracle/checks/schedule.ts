// I-12: attempts come neither too early nor far too late (CBK-1, TIM-2, TIM-3, DUP-1). What a fault may have repeated or held up is
// left out; what nothing explains is a breach.
import { clock, instant } from '../rows.ts';
import type { Report } from '../verdict.ts';
import { standingOf } from './lines.ts';
import { sha256Of, type Attempt, type Delivery, type Payment, type World } from '../world.ts';
import { enquiryTimesMs } from './waiting.ts';

const second = 1_000;
const minute = 60 * second;
const earlyMs = 150; // timers and clocks of three processes
const retriesMs: readonly number[] = [1, 2, 5].map((one) => one * second); // TIM-3
const attemptMs = 15 * second; // longest attempt, connecting included (SEC-5)
/** Delays between the attempts of a delivery (CBK-1), as far as runs reach. */
const delaysMs: readonly number[] = [
  ...[1, 2, 5, 10, 30].map((one) => one * second),
  ...[1, 2, 5, 15, 30].map((one) => one * minute),
  ...[60, 120, 240, 480].map((one) => one * minute),
];
const variation = 0.2; // CBK-1
const enquiryGapMs = 5 * second; // DUP-1
/** I-17, and the longest that an open breaker holds back what is due (CBK-3). */
const overdueMs = 60 * second + 65 * second;

export function judgeSchedules(world: World, report: Report): void {
  const { payments, deliveries } = world;
  const repeats = repeatsOf(world);
  const instructions = deliveries.filter(({ row }) => row.kind === 'instruction');
  report.examined('I-12', 'sends of instructions', instructions.flatMap(({ attempts }) => attempts).length);
  for (const payment of payments) {
    const delivery = payment.deliveries['instruction'];
    if (delivery === undefined) continue;
    judgeInstruction(world, report, { payment, delivery, repeats: repeats.get(payment.uetr) ?? [] });
  }
  const told = deliveries.filter(({ row }) =>
    ['callback', 'confirmation', 'notification'].includes(row.kind),
  );
  report.examined('I-12', 'attempts of deliveries', told.flatMap(({ attempts }) => attempts).length);
  for (const delivery of told)
    judgeDelivery(world, report, delivery, repeats.get(delivery.row.subject_id) ?? []);
}

/** When a submission came again in the same bytes: from when on its effects may be seen. By UETR, or id of the resolution. */
function repeatsOf(world: World): ReadonlyMap<string, readonly number[]> {
  const repeats = new Map<string, number[]>();
  for (const exchange of world.evidence.exchanges) {
    if (exchange.method !== 'POST' || exchange.requestBody === undefined) continue;
    if (!exchange.path.startsWith('/iso20022/')) continue;
    const sha = sha256Of(Buffer.from(exchange.requestBody, exchange.requestEncoding ?? 'utf8'));
    for (const { row } of world.messagesBySha.get(sha) ?? []) {
      const key = row.subject_id ?? '';
      const times = repeats.get(key) ?? [];
      repeats.set(key, [...times, instant(exchange.sentAt)]);
    }
  }
  for (const times of repeats.values()) times.sort((one, other) => one - other);
  return repeats;
}

interface Instruction {
  readonly payment: Payment;
  readonly delivery: Delivery;
  /** Every time that its submission came, the first time included. */
  readonly repeats: readonly number[];
}

const lineOf = ({ row }: Attempt) =>
  `attempt ${row.attempt} ${row.started_at} to ${row.finished_at ?? 'open'} ${row.outcome ?? ''} ${row.http_status ?? row.error_class ?? ''}`;

/** Whether an attempt got what ends a round: a pacs.002 or a 202 (TIM-3). */
const isAnswered = ({ httpStatus }: Attempt) => httpStatus === 200 || httpStatus === 202;

/** Why an attempt may come when it comes. */
type Cause = 'first' | 'retry' | 'enquiry' | 'asked' | 'fault';

function judgeInstruction(world: World, report: Report, { payment, delivery, repeats }: Instruction): void {
  const { uetr, judgedAt } = payment;
  const { attempts } = delivery;
  const taken = new Set<number>(); // TIM-2 times that an attempt was made for
  let inRound = 0;
  let askedAt = -Infinity;
  for (const [index, attempt] of attempts.entries()) {
    const previous = attempts[index - 1];
    const cause = causeOf({ world, judgedAt, repeats, taken, inRound }, attempt, previous);
    if (cause === undefined) {
      const shown = [`judged ${clock(judgedAt)}`, ...attempts.map(lineOf)];
      report.breach('I-12', 'An instruction was sent again before it was due (TIM-2, TIM-3).', uetr, shown);
      return;
    }
    if (cause === 'asked') {
      if (attempt.startedAt - askedAt < enquiryGapMs - earlyMs) {
        report.breach(
          'I-12',
          'The destination was asked more than once in 5 s (DUP-1).',
          uetr,
          attempts.map(lineOf),
        );
      }
      askedAt = attempt.startedAt;
    }
    inRound = cause === 'retry' ? inRound + 1 : 0;
  }
  judgeOverdue(world, report, payment, attempts);
}

interface Course {
  readonly world: World;
  readonly judgedAt: number;
  readonly repeats: readonly number[];
  readonly taken: Set<number>;
  /** Retries made since the round began. */
  readonly inRound: number;
}

function causeOf(
  { world, judgedAt, repeats, taken, inRound }: Course,
  attempt: Attempt,
  previous: Attempt | undefined,
): Cause | undefined {
  if (previous === undefined) return 'first';
  const { startedAt } = attempt;
  const endedAt = previous.finishedAt ?? previous.startedAt;
  const delay = retriesMs[inRound];
  if (!isAnswered(previous) && delay !== undefined && startedAt - endedAt >= delay - earlyMs) return 'retry';
  const due = enquiryTimesMs.find(
    (afterMs) => !taken.has(afterMs) && startedAt >= judgedAt + afterMs - second,
  );
  if (due !== undefined) {
    // one enquiry makes up for all that were missed
    for (const afterMs of enquiryTimesMs) if (startedAt >= judgedAt + afterMs - second) taken.add(afterMs);
    return 'enquiry';
  }
  // an enquiry waits for a send that is under way, and is asked by the api beside its answer
  if (repeats.slice(1).some((at) => at <= startedAt && at >= previous.startedAt - enquiryGapMs))
    return 'asked';
  return world.quiet.isCalm(previous.startedAt - attemptMs, startedAt, 20 * second) ? undefined : 'fault';
}

/** The first send, the retries of an unanswered one, and the enquiries are made, and not a minute too late. */
function judgeOverdue(world: World, report: Report, payment: Payment, attempts: readonly Attempt[]): void {
  const { uetr, judgedAt, decidedAt, deadlineAt } = payment;
  const until = Math.min(decidedAt ?? Infinity, deadlineAt ?? Infinity, world.quiet.endAt);
  const missed = (due: number) =>
    due + overdueMs < until &&
    !attempts.some(({ startedAt }) => startedAt >= due - second && startedAt <= due + overdueMs) &&
    world.quiet.isCalm(due - 15 * second, due + overdueMs, 30 * second);
  const shown = [`judged ${clock(judgedAt)}, undecided until ${clock(until)}`, ...attempts.map(lineOf)];
  if (missed(judgedAt)) {
    report.breach('I-12', 'An instruction was not sent, though nothing was broken.', uetr, shown);
    return;
  }
  if (deadlineAt !== undefined) return;
  const due = enquiryTimesMs.find((afterMs) => missed(judgedAt + afterMs));
  if (due === undefined) return;
  report.breach(
    'I-12',
    `An enquiry was due ${due / minute} min after acceptance, and was not made (TIM-2).`,
    uetr,
    shown,
  );
}

/** CBK-1. Asked for again, a delivery begins at the start of its schedule: that is allowed where somebody may have asked. */
function judgeDelivery(world: World, report: Report, delivery: Delivery, repeats: readonly number[]): void {
  const { attempts, row } = delivery;
  let failures = 0;
  for (const [index, attempt] of attempts.entries()) {
    const previous = attempts[index - 1];
    if (previous === undefined) {
      judgeFirst(world, report, delivery, attempt);
      continue;
    }
    const endedAt = previous.finishedAt ?? previous.startedAt + attemptMs;
    const isAsked = isAskedFor(world, delivery, {
      repeats,
      from: previous.startedAt - 2 * second,
      to: attempt.startedAt,
    });
    const isFault = !world.quiet.isCalm(previous.startedAt - attemptMs, attempt.startedAt, 20 * second);
    const { httpStatus = 0 } = previous;
    const wasTaken = httpStatus >= 200 && httpStatus < 300;
    failures = isAsked || wasTaken ? 1 : failures + 1;
    if (isAsked || isFault) continue;
    const delayMs = delaysMs[Math.min(failures, delaysMs.length) - 1] ?? second;
    const gapMs = attempt.startedAt - endedAt;
    const shown = [standingOf(delivery), ...attempts.map(lineOf)];
    if (wasTaken) {
      report.breach(
        'I-12',
        `A ${row.kind} was sent again after it had been taken, and nobody had asked for it.`,
        row.subject_id,
        shown,
      );
      return;
    }
    if (gapMs < delayMs * (1 - variation) - earlyMs) {
      const early = `${Math.round(gapMs)} ms after failure ${failures}, ${delayMs} ms are due`;
      report.breach('I-12', `A ${row.kind} was attempted again before it was due (CBK-1).`, row.subject_id, [
        early,
        ...shown,
      ]);
      return;
    }
    if (gapMs > delayMs * (1 + variation) + overdueMs) {
      const late = `${Math.round(gapMs)} ms after failure ${failures}, ${delayMs} ms are due`;
      report.breach(
        'I-12',
        `A ${row.kind} was attempted again more than a minute late (CBK-1).`,
        row.subject_id,
        [late, ...shown],
      );
      return;
    }
  }
}

function judgeFirst(world: World, report: Report, { row }: Delivery, first: Attempt): void {
  const stored = world.messageOf.get(row.message_id);
  if (stored === undefined || first.startedAt - stored.createdAt <= overdueMs) return;
  if (!world.quiet.isCalm(stored.createdAt, first.startedAt)) return;
  report.breach(
    'I-12',
    `A ${row.kind} was first attempted more than a minute late (CBK-1).`,
    row.subject_id,
    [lineOf(first)],
  );
}

interface Span {
  readonly repeats: readonly number[];
  readonly from: number;
  readonly to: number;
}

/**
 * Whether somebody may have asked for a delivery again: its source by a repeat (DUP-1), its destination by another final than the
 * one that decided (PAY-9).
 */
function isAskedFor(world: World, { row }: Delivery, { repeats, from, to }: Span): boolean {
  const within = (at: number) => at >= from && at <= to;
  if (row.kind === 'callback') return repeats.slice(1).some(within);
  if (row.kind !== 'confirmation') return false;
  const payment = world.paymentOf.get(row.subject_id);
  const said =
    payment?.journal.filter(({ direction, kind }) => direction === 'sent' && kind === 'pacs002') ?? [];
  const finals = said.filter(({ status = '' }) => status !== 'ACWP' && status !== 'ACTC');
  const isFirstTold = payment?.decision?.decided_by === 'destination';
  return finals.slice(isFirstTold ? 1 : 0).some(({ at }) => within(instant(at)));
}
