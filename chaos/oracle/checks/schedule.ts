// I-12: attempts are neither too early nor far too late (CBK-1, TIM-2, TIM-3, DUP-1). The check skips an
// attempt that a fault may have repeated or delayed. An attempt without any permitted cause is a breach.
import { clock, instant } from '../rows.ts';
import { receiverOf, toldKinds } from '../reference.ts';
import type { Report } from '../verdict.ts';
import { lineOfAttempt, standingOf } from './lines.ts';
import { isTaken, sha256Of, type Attempt, type Delivery, type Payment, type World } from '../world.ts';
import { enquiryTimesMs } from './waiting.ts';

const second = 1_000;
const minute = 60 * second;
const earlyMs = 150; // tolerance for the timers and clocks of three processes
const retriesMs: readonly number[] = [1, 2, 5].map((one) => one * second); // TIM-3: the delays between the sends of one round
const recordMs = 20; // tolerance between two times that one SQL statement writes
const sweptMs = 75 * second; // the sweep finds a lost execution within this time (LIF-2)
const attemptMs = 15 * second; // longest attempt, including the connection (SEC-5)
/** Delays between the attempts of a delivery (CBK-1), as far as a run can last. */
export const delaysMs: readonly number[] = [
  ...[1, 2, 5, 10, 30].map((one) => one * second),
  ...[1, 2, 5, 15, 30].map((one) => one * minute),
  ...[60, 120, 240, 480].map((one) => one * minute),
];
const variation = 0.2; // CBK-1: the relative random variation of each delay
const enquiryGapMs = 5 * second; // DUP-1: the minimum time between two enquiries
/**
 * The delay that I-17 allows, plus the longest time for which an open breaker holds back a delivery (CBK-3).
 */
const overdueMs = 60 * second + 65 * second;

export function judgeSchedules(world: World, report: Report): void {
  const { payments, deliveries } = world;
  const repeats = repeatsOf(world);
  const instructions = deliveries.filter(({ row }) => row.kind === 'instruction');
  const sends = instructions.flatMap(({ attempts }) => attempts).length;
  report.examined('I-12', 'sends of instructions', sends);
  for (const payment of payments) {
    const delivery = payment.deliveries['instruction'];
    const own = repeats.get(payment.uetr) ?? [];
    if (delivery !== undefined) judgeInstruction(world, report, { payment, delivery, repeats: own });
  }
  const told = deliveries.filter(({ row }) => toldKinds.includes(row.kind));
  report.examined('I-12', 'attempts of deliveries', told.flatMap(({ attempts }) => attempts).length);
  for (const delivery of told) {
    judgeDelivery(world, report, delivery, repeats.get(delivery.row.subject_id) ?? []);
  }
}

/** One POST of the same bytes, with the time span in which the gateway may have processed it. */
interface Repeat {
  readonly from: number;
  readonly to: number;
}

/**
 * The gateway may process an unanswered request this much later, for example after a frozen process resumes.
 */
const unansweredMs = 90_000;
const beforehandMs = 2_000;

/** Returns all POSTs of stored messages, oldest first, keyed by UETR or by id of the resolution. */
function repeatsOf(world: World): ReadonlyMap<string, readonly Repeat[]> {
  const repeats = new Map<string, Repeat[]>();
  for (const exchange of world.evidence.exchanges) {
    if (exchange.method !== 'POST' || exchange.requestBody === undefined) continue;
    if (!exchange.path.startsWith('/iso20022/')) continue;
    const sha = sha256Of(exchange.requestBody);
    const isAnswered = exchange.status !== undefined && exchange.status < 500;
    const repeat = {
      from: instant(exchange.sentAt),
      to: instant(exchange.endedAt) + (isAnswered ? beforehandMs : unansweredMs),
    };
    for (const { row } of world.messagesBySha.get(sha) ?? []) {
      const key = row.subject_id ?? '';
      repeats.set(key, [...(repeats.get(key) ?? []), repeat]);
    }
  }
  for (const all of repeats.values()) all.sort((one, other) => one.from - other.from);
  return repeats;
}

/** Whether the gateway may have received a repeat in this time span. The first submission is not a repeat. */
function isRepeated(repeats: readonly Repeat[], from: number, to: number): boolean {
  return repeats.slice(1).some((repeat) => repeat.from <= to && repeat.to >= from);
}

interface Instruction {
  readonly payment: Payment;
  readonly delivery: Delivery;
  /** Every POST of the payment, including the first. */
  readonly repeats: readonly Repeat[];
}

/**
 * Whether the destination itself answered with a pacs.002 or a 202. Such an answer ends the round of retries
 * (TIM-3).
 */
function isAnswered({ world, destination }: Course, attempt: Attempt): boolean {
  const { httpStatus, startedAt, finishedAt = startedAt } = attempt;
  if (httpStatus !== 200) return httpStatus === 202;
  return !world.quiet.isWayBroken(destination, startedAt, finishedAt);
}

/** The reason that permits an attempt at its time. */
type Cause = 'first' | 'retry' | 'enquiry' | 'asked' | 'fault';

function judgeInstruction(world: World, report: Report, instruction: Instruction): void {
  const { payment, delivery, repeats } = instruction;
  const { uetr, judgedAt } = payment;
  const { attempts } = delivery;
  const destination = receiverOf(world.reference, delivery.row);
  const taken = new Set<number>(); // the enquiry times of TIM-2 for which an attempt was found
  let inRound = 0;
  let askedAt = -Infinity;
  for (const [index, attempt] of attempts.entries()) {
    const previous = attempts[index - 1];
    const cause = causeOf({ world, destination, judgedAt, repeats, taken, inRound }, attempt, previous);
    if (cause === undefined) {
      const shown = [`judged ${clock(judgedAt)}`, ...attempts.map(lineOfAttempt)];
      report.breach('I-12', 'An instruction was sent again before it was due (TIM-2, TIM-3).', uetr, shown);
      break;
    }
    if (cause === 'asked') {
      // The 5 s limit applies to the requests for an enquiry. A variable delay separates each request from
      // its send.
      const isSoon = attempt.startedAt - askedAt < enquiryGapMs - second;
      if (isSoon && world.quiet.isCalm([destination], askedAt - attemptMs, attempt.startedAt)) {
        const shown = attempts.map(lineOfAttempt);
        report.breach('I-12', 'The destination was asked more than once in 5 s (DUP-1).', uetr, shown);
      }
      askedAt = attempt.startedAt;
    }
    inRound = cause === 'retry' ? inRound + 1 : 0;
  }
  judgeOverdue(world, report, { payment, destination, attempts });
}

interface Course {
  readonly world: World;
  readonly destination: string;
  readonly judgedAt: number;
  readonly repeats: readonly Repeat[];
  readonly taken: Set<number>;
  /** Retries since the current round began. */
  readonly inRound: number;
}

function causeOf(course: Course, attempt: Attempt, previous: Attempt | undefined): Cause | undefined {
  const { world, judgedAt, repeats, taken, inRound } = course;
  if (previous === undefined) return 'first';
  const { startedAt } = attempt;
  const endedAt = previous.finishedAt ?? previous.startedAt;
  const delay = retriesMs[inRound];
  const isRetry = delay !== undefined && startedAt - endedAt >= delay - earlyMs;
  if (isRetry && !isAnswered(course, previous)) return 'retry';
  const due = enquiryTimesMs.find((ms) => !taken.has(ms) && startedAt >= judgedAt + ms - second);
  if (due !== undefined) {
    // One enquiry also counts for all earlier enquiry times that were missed.
    for (const ms of enquiryTimesMs) if (startedAt >= judgedAt + ms - second) taken.add(ms);
    return 'enquiry';
  }
  // An enquiry may wait until a running send ends. The api requests an enquiry before it has sent its own
  // answer.
  if (isRepeated(repeats, previous.startedAt - enquiryGapMs, startedAt)) return 'asked';
  // A restarted workflow sends immediately (LIF-2).
  return world.quiet.isOursBroken(previous.startedAt - attemptMs, startedAt, sweptMs) ? 'fault' : undefined;
}

interface Sends {
  readonly payment: Payment;
  readonly destination: string;
  readonly attempts: readonly Attempt[];
}

/**
 * Checks that no send is overdue by more than `overdueMs`: neither the first send, nor a retry, nor an
 * enquiry.
 */
function judgeOverdue(world: World, report: Report, { payment, destination, attempts }: Sends): void {
  const { uetr, judgedAt, decidedAt, deadlineAt } = payment;
  const until = Math.min(decidedAt ?? Infinity, deadlineAt ?? Infinity, world.quiet.endAt);
  const missed = (due: number) =>
    due + overdueMs < until &&
    !attempts.some(({ startedAt }) => startedAt >= due - second && startedAt <= due + overdueMs) &&
    world.quiet.isCalm([destination], due - 15 * second, due + overdueMs, 30 * second);
  const shown = [
    `judged ${clock(judgedAt)}, undecided until ${clock(until)}`,
    ...attempts.map(lineOfAttempt),
  ];
  const spanOf = (due: number) => ({ from: due, to: due + overdueMs });
  if (missed(judgedAt)) {
    const statement = 'An instruction was not sent, though nothing was broken.';
    report.late('I-12', statement, uetr, shown, spanOf(judgedAt));
    return;
  }
  if (deadlineAt !== undefined) return;
  const due = enquiryTimesMs.find((afterMs) => missed(judgedAt + afterMs));
  if (due === undefined) return;
  report.late(
    'I-12',
    `An enquiry was due ${due / minute} min after acceptance, and was not made (TIM-2).`,
    uetr,
    shown,
    spanOf(judgedAt + due),
  );
}

/** CBK-1: no attempt starts before the due time on record. Only a redelivery restarts the schedule. */
function judgeDelivery(world: World, report: Report, delivery: Delivery, repeats: readonly Repeat[]): void {
  const { attempts, row } = delivery;
  let failures = 0;
  for (const [index, attempt] of attempts.entries()) {
    const previous = attempts[index - 1];
    if (previous === undefined) continue;
    const wasTaken = isTaken(previous);
    const isAsked = row.asks !== '1' && isAskedFor(world, delivery, { repeats, previous, attempt });
    failures = isAsked ? 0 : failures + 1; // failures since the last redelivery
    const { finishedAt } = previous;
    if (isAsked || finishedAt === undefined || finishedAt > attempt.startedAt) continue;
    const fault = wasTaken
      ? 'was sent again after it had been taken, and nobody had asked for it'
      : delayFault(world, { failures, finishedAt, previous, attempt, row });
    if (fault === undefined) continue;
    const shown = [
      `after failure ${failures}, asked for ${row.asks} times`,
      standingOf(delivery),
      ...attempts.map(lineOfAttempt),
    ];
    const statement = `A ${row.kind} ${fault} (CBK-1).`;
    const isLate = attempt.startedAt - finishedAt > overdueMs;
    if (isLate)
      report.late('I-12', statement, row.subject_id, shown, { from: finishedAt, to: attempt.startedAt });
    else report.breach('I-12', statement, row.subject_id, shown);
    return;
  }
}

interface Gap {
  readonly row: Delivery['row'];
  readonly failures: number;
  readonly finishedAt: number;
  readonly previous: Attempt;
  readonly attempt: Attempt;
}

function delayFault(world: World, gap: Gap): string | undefined {
  const { failures, finishedAt, previous, attempt } = gap;
  const delayMs = delaysMs[Math.min(failures, delaysMs.length) - 1] ?? second;
  const gapMs = attempt.startedAt - finishedAt;
  if (previous.httpStatus === 410)
    return 'was attempted again though its receiver had said that it is gone (410)';
  const told = `${Math.round(gapMs)} ms after a failure, where ${delayMs} ms are due`;
  if (gapMs < delayMs * (1 - variation) - recordMs) return `was attempted again too early, ${told}`;
  const receiver = receiverOf(world.reference, gap.row);
  const isCalm = world.quiet.isCalm(
    [receiver],
    previous.startedAt - attemptMs,
    attempt.startedAt,
    20 * second,
  );
  if (gapMs > delayMs * (1 + variation) + overdueMs && isCalm) return `was attempted again too late, ${told}`;
  return undefined;
}

interface Span {
  readonly repeats: readonly Repeat[];
  readonly previous: Attempt;
  readonly attempt: Attempt;
}

/**
 * Whether a party may have triggered a redelivery. A repeated submission by the source triggers the callback
 * again (DUP-1). A second final status from the destination triggers the confirmation again (PAY-9). After a
 * fault, a worker that repeats the decision may also trigger the confirmation.
 */
function isAskedFor(world: World, { row }: Delivery, { repeats, previous, attempt }: Span): boolean {
  const [from, to] = [previous.startedAt - beforehandMs, attempt.startedAt];
  if (row.kind === 'callback') return isRepeated(repeats, from, to);
  if (row.kind !== 'confirmation') return false;
  if (world.quiet.isOursBroken(from, to, sweptMs)) return true;
  const payment = world.paymentOf.get(row.subject_id);
  const said =
    payment?.journal.filter(({ direction, kind }) => direction === 'sent' && kind === 'pacs002') ?? [];
  const finals = said.filter(({ status = '' }) => status !== 'ACWP' && status !== 'ACTC');
  const isFirstTold = payment?.decision?.decided_by === 'destination';
  return finals.slice(isFirstTold ? 1 : 0).some(({ at }) => {
    const saidAt = instant(at);
    return saidAt <= to && saidAt + attemptMs >= from;
  });
}
