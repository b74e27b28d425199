// What a source asks for beside the final itself, and gets: PAY-1 (an answer at once, or after the wait that it
// preferred), DUP-1 (its same bytes again have the final told again, at the address that it names now, or the
// destination asked again).
import { clock } from '../rows.ts';
import { destinationOf, sourceOf } from '../receivers.ts';
import type { Report } from '../verdict.ts';
import { grouped, type Attempt, type Delivery, type Payment, type Submission, type World } from '../world.ts';
import { textAt } from '../read-message.ts';
import { isAnswering, isWell } from './well.ts';

const second = 1_000;
const soonMs = 15 * second; // an open breaker of the source's, and a busy machine
const enquiredMs = 20 * second; // the same, of the destination's
const joinMs = 12 * second; // an enquiry joins one that is under way, or was made within 5 s (DUP-1)
const heldMs = 130 * second; // the same, with a breaker that is open as long as can be, and two sweeps (LIF-2)
const clockMs = 50;
const finals: readonly string[] = ['ACCC', 'RJCT', 'BLCK'];
const lookMs = 5 * second; // until a decision that stands is seen by whoever waits for it, on a busy machine

/** How long after a repeat it is seen what became of it, and how long before it nothing may have been broken. */
export const repeatSpan = { beforeMs: joinMs, afterMs: enquiredMs };

export function judgeAskedFor(world: World, report: Report): void {
  const answered = world.submissions.filter(({ exchange }) => exchange.status === 200);
  const preferring = answered.filter((one) => preferredMs(one) !== undefined);
  report.examined('R:PAY-1', 'answers to who preferred to wait', preferring.length);
  report.examined('R:PAY-1', 'answers to who did not', answered.length - preferring.length);
  for (const [, group] of grouped(answered, keyOf)) {
    const payment = world.paymentOf.get(group[0]?.exchange.uetr ?? '');
    const [one] = group;
    if (payment === undefined || one === undefined || !isOf(payment, one)) continue;
    const all = world.submissions.filter((each) => keyOf(each) === keyOf(one));
    judgeFirst(world, report, { payment, all });
    for (const submission of group) judgeWait(world, report, payment, submission);
    judgeRepeats(world, report, { payment, all });
    judgeAddress(report, { payment, all });
  }
}

const keyOf = ({ exchange, sha256 }: Submission) => `${exchange.client} ${sha256}`;
const statusOf = ({ answer }: Submission) => textAt(answer?.root, 'TxInfAndSts/TxSts') ?? '';
const lineOf = ({ exchange }: Submission) =>
  `${exchange.client} ${exchange.purpose} ${exchange.sentAt} to ${exchange.endedAt}, HTTP ${exchange.status ?? exchange.error ?? '?'}`;

/** Whether these bytes are those that made the payment. */
const isOf = ({ submission, row }: Payment, { sha256, exchange }: Submission) =>
  submission?.sha256 === sha256 && row.source_clearing_system === exchange.client;

interface OfPayment {
  readonly payment: Payment;
  /** Every time that its bytes were sent, answered or not. */
  readonly all: readonly Submission[];
}

/** DUP-1, DUP-2: only who sends these very bytes names an address for the answer; a refused repeat names none. */
function judgeAddress(report: Report, { payment, all }: OfPayment): void {
  const named = new Set(all.map(({ callbackUrl }) => callbackUrl));
  const elsewhere = payment.deliveries['callback']?.attempts.find(
    ({ row }) => row.url !== null && !named.has(row.url),
  );
  if (elsewhere === undefined) return;
  const statement = 'A callback went to an address that its source did not name with these bytes (DUP-2).';
  report.breach('I-7', statement, payment.uetr, [elsewhere.row, ...named]);
}

/** PAY-1: who does not wait is never answered with the destination's final, the first time. */
function judgeFirst(world: World, report: Report, { payment, all }: OfPayment): void {
  const first = all.reduce((one, other) => (other.sentAt < one.sentAt ? other : one));
  const isAlone = all.every((one) => one === first || one.sentAt >= first.endedAt);
  if (!isAlone || preferredMs(first) !== undefined || !payment.row.accepted) return;
  const status = statusOf(first);
  if (first.exchange.status !== 200 || status === 'ACTC') return;
  if (!world.quiet.isCalm([], first.sentAt, first.endedAt)) return; // it may have been taken in twice
  const statement = `A sender that did not want to wait was told ${status} (PAY-1).`;
  report.breach('R:PAY-1', statement, payment.uetr, [lineOf(first), payment.decision]);
}

/** Milliseconds; undefined: no wait was asked for. */
function preferredMs({ exchange }: Submission): number | undefined {
  const [, seconds] = /wait\s*=\s*(\d+)/i.exec(exchange.prefer ?? '') ?? [];
  return seconds === undefined ? undefined : Math.min(Number(seconds), 30) * second;
}

/** PAY-1: whoever waits is answered ACTC when the time is over, and not before; or with the final, once it is there. */
function judgeWait(world: World, report: Report, payment: Payment, submission: Submission): void {
  const waitMs = preferredMs(submission);
  const { sentAt, endedAt, exchange } = submission;
  if (waitMs === undefined) return;
  const shown = [
    lineOf(submission),
    `Prefer: ${exchange.prefer ?? ''}`,
    `told ${statusOf(submission)}`,
    payment.decision,
  ];
  if (exchange.headers?.['preference-applied'] !== 'wait') {
    const statement = 'An answer to Prefer: wait does not say that it was applied (PAY-1).';
    report.breach('R:PAY-1', statement, payment.uetr, shown);
  }
  if (statusOf(submission) !== 'ACTC' || !world.quiet.isCalm([], sentAt, endedAt)) return;
  const { decidedAt = Infinity } = payment;
  const isDecided = decidedAt + lookMs < endedAt && decidedAt + lookMs < sentAt + waitMs;
  if (endedAt - sentAt >= waitMs - 0.5 * second && !isDecided) return;
  const statement = isDecided
    ? 'A sender that waited was told ACTC though the final was there (PAY-1).'
    : 'A sender that wanted to wait was told ACTC at once (PAY-1).';
  if (isDecided) report.late('R:PAY-1', statement, payment.uetr, shown, { from: decidedAt, to: endedAt });
  else report.breach('R:PAY-1', statement, payment.uetr, shown);
}

/** DUP-1. */
function judgeRepeats(world: World, report: Report, of: OfPayment): void {
  const repeats = [...of.all]
    .sort((one, other) => one.sentAt - other.sentAt)
    .slice(1)
    .filter(({ exchange }) => exchange.status === 200);
  report.examined('R:DUP-1', 'repeats', repeats.length);
  const { row } = of.payment;
  const source = sourceOf(row.source_clearing_system);
  const destination = destinationOf(world.reference, row.destination_clearing_system);
  for (const repeat of repeats) {
    const [from, to] = [repeat.sentAt - repeatSpan.beforeMs, repeat.sentAt + repeatSpan.afterMs];
    const { uetr, decidedAt: closedAt, deliveries } = of.payment;
    const told = { subject: uetr, source, closedAt, callback: deliveries['callback'], all: of.all };
    if (finals.includes(statusOf(repeat))) judgeToldAfter(world, report, told, repeat);
    if (to > world.quiet.endAt) continue;
    if (world.quiet.isCalm([source], from, to)) judgeToldAgain(world, report, told, repeat);
    if (world.quiet.isCalm([destination], from, to)) judgeAskedAgain(report, of, repeat);
  }
}

/** A subject whose source was told how it ended. */
export interface Told {
  /** UETR, or the id of a resolution. */
  readonly subject: string;
  /** As the faults name it. */
  readonly source: string;
  /** When it was decided, or answered. */
  readonly closedAt: number | undefined;
  readonly callback: Delivery | undefined;
  /** Every time that its bytes were sent, answered or not. */
  readonly all: readonly Submission[];
}

/**
 * The end was being told when its source asked again: what was under way then is no answer to that, and another
 * follows.
 */
export function judgeToldAfter(
  world: World,
  report: Report,
  { subject, source, callback }: Told,
  repeat: Submission,
): void {
  const { sentAt, endedAt } = repeat;
  const attempts = callback?.attempts ?? [];
  const isUnderWay = attempts.some(
    ({ startedAt, finishedAt = Infinity }) => startedAt < sentAt && finishedAt > endedAt + clockMs,
  );
  const isGone = attempts.some(({ httpStatus }) => httpStatus === 410); // CBK-1: nothing more goes there
  const [from, to] = [sentAt - joinMs, sentAt + enquiredMs];
  const { isCalm } = world.quiet;
  const isFree = isCalm([source], from, to) || (isCalm([], from, to) && isWell(world, source, from, to));
  if (!isUnderWay || isGone || sentAt + (isFree ? enquiredMs : heldMs) > world.quiet.endAt) return;
  if (attempts.some(({ startedAt }) => startedAt >= sentAt - clockMs)) return;
  const statement =
    'A source asked again while its callback was under way, and it was not sent again (DUP-1).';
  const lines = [
    lineOf(repeat),
    ...attempts.map(({ row }) => `attempt ${row.attempt} ${row.started_at} to ${row.finished_at ?? 'open'}`),
  ];
  report.late('R:DUP-1', statement, subject, lines, { from: sentAt, to: world.quiet.endAt });
}

/** The end was taken before: it is told again, where this repeat says; later where the breaker of a process may be open. */
export function judgeToldAgain(
  world: World,
  report: Report,
  { subject, source, closedAt, callback, all }: Told,
  repeat: Submission,
): void {
  const { sentAt, callbackUrl } = repeat;
  if (closedAt === undefined || callback === undefined || closedAt > sentAt - 5 * second) return;
  const before = callback.attempts.filter(({ startedAt }) => startedAt <= sentAt).at(-1);
  const isOver = before?.finishedAt !== undefined && before.finishedAt < sentAt - second;
  if (!isOver || !isTaken(before)) return;
  const withinMs = isAnswering(world, source, sentAt - joinMs, sentAt + soonMs) ? soonMs : heldMs;
  if (sentAt + withinMs > world.quiet.endAt) return;
  const near = all.filter((one) => Math.abs(one.sentAt - sentAt) < withinMs);
  const allowed = new Set(near.map((one) => one.callbackUrl));
  const after = callback.attempts.filter(
    ({ startedAt }) => startedAt >= sentAt - 100 && startedAt <= sentAt + withinMs,
  );
  if (after.some(({ row }) => allowed.has(row.url ?? ''))) return;
  const statement =
    after.length === 0
      ? 'A source asked again for what it had taken, and its callback was not sent again (DUP-1).'
      : 'A source named another address, and its callback went elsewhere (DUP-1).';
  const lines = [
    lineOf(repeat),
    `named ${callbackUrl ?? 'none'}`,
    ...callback.attempts.map(({ row }) => `attempt ${row.attempt} ${row.started_at} to ${row.url ?? ''}`),
  ];
  if (after.length > 0) report.breach('R:DUP-1', statement, subject, lines);
  else report.late('R:DUP-1', statement, subject, lines, { from: sentAt, to: sentAt + withinMs });
}

const isTaken = ({ httpStatus = 0 }: Attempt) => httpStatus >= 200 && httpStatus < 300;

/**
 * There is no final yet: the destination gets its instruction once more. NORM only: HIGH has its deadline before long.
 */
function judgeAskedAgain(report: Report, { payment, all }: OfPayment, repeat: Submission): void {
  const { row, uetr, deadlineAt, decidedAt = Infinity, deliveries } = payment;
  const { sentAt } = repeat;
  const attempts = deliveries['instruction']?.attempts ?? [];
  if (!row.accepted || deadlineAt !== undefined || decidedAt < sentAt + enquiredMs) return;
  const isJoined = all.some((one) => one !== repeat && Math.abs(one.sentAt - sentAt) < joinMs);
  const isBusy = attempts.some(
    ({ startedAt, finishedAt = Infinity }) => startedAt < sentAt && finishedAt > sentAt - joinMs,
  );
  if (isJoined || isBusy || attempts.length === 0) return;
  if (attempts.some(({ startedAt }) => startedAt >= sentAt - 100 && startedAt <= sentAt + enquiredMs)) return;
  const statement = 'A source asked how its payment stands, and the destination was not asked (DUP-1).';
  const lines = [
    lineOf(repeat),
    `undecided until ${clock(decidedAt)}`,
    ...attempts.map(
      ({ row: one }) => `attempt ${one.attempt} ${one.started_at} to ${one.finished_at ?? 'open'}`,
    ),
  ];
  report.late('R:DUP-1', statement, uetr, lines, { from: sentAt, to: sentAt + enquiredMs });
}
