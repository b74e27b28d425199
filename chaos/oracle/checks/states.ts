// I-8: each payment passes through the state table (docs/reference/payment-states.md) in order of time, and
// no state follows a final status. The gateway decides only under the conditions of TIM-1 to TIM-3.
import { clock, instant } from '../rows.ts';
import type { Report } from '../verdict.ts';
import type { Payment, World } from '../world.ts';
import { lineOfAttempt } from './lines.ts';

const lockMs = 5_000; // an SQL statement may have waited this long for a row lock
const second = 1_000;

export function judgeStates(world: World, report: Report): void {
  report.examined('I-8', 'payments', world.payments.length);
  for (const payment of world.payments) {
    if (payment.decision !== undefined) judgePath(world, report, payment);
    if (payment.row.accepted) judgeAfterFinal(world, report, payment);
    if (payment.row.accepted) judgeStoredDeadline(report, payment);
  }
  judgeDeadlineErrors(world, report);
}

function judgePath(world: World, report: Report, payment: Payment): void {
  const { uetr, row, decision, decidedAt = 0, judgedAt } = payment;
  if (decision === undefined) return;
  const breach = (statement: string, ...more: unknown[]) =>
    report.breach('I-8', statement, uetr, [
      `judged ${clock(judgedAt)}, ${row.accepted ? 'accepted' : 'rejected at once'}, ${row.priority ?? ''}`,
      decision,
      ...more,
    ]);
  if (decidedAt < judgedAt - 1) breach('A payment was decided before it was judged.');
  if (!row.accepted) {
    const isOwn = decision.status === 'RJCT' && decision.decided_by === 'gateway';
    if (!isOwn) breach('A payment that was rejected at once ended otherwise.');
    else if (decision.callback_message_id !== row.answer_message_id || Math.abs(decidedAt - judgedAt) > 1) {
      breach('A payment that was rejected at once has another final than its first answer.');
    }
    return;
  }
  const derived = [
    decision.callback_message_id,
    decision.confirmation_message_id,
    decision.notification_message_id,
  ]
    .map((id) => world.messageOf.get(id ?? ''))
    .filter((one) => one !== undefined);
  const apart = derived.find(({ createdAt }) => Math.abs(createdAt - decidedAt) > 1);
  if (apart !== undefined) {
    breach(
      'What follows from a decision was not written with it (PAY-10).',
      `${apart.row.message_type} ${apart.row.created_at}`,
    );
  }
  if (decision.decided_by === 'destination') judgeReported(world, payment, breach);
  else judgeOwnDecision(payment, breach);
}

type Breach = (statement: string, ...more: unknown[]) => void;

function judgeReported(world: World, { decision, decidedAt = 0 }: Payment, breach: Breach): void {
  const stored = world.messageOf.get(decision?.report_message_id ?? '');
  if (stored === undefined || stored.createdAt <= decidedAt + lockMs) return;
  breach(
    'A payment was decided before the report came that decides it.',
    `report stored ${clock(stored.createdAt)}`,
  );
}

/**
 * The gateway may decide in two cases only: a HIGH payment is past its deadline (AB03), or no byte of a NORM
 * payment was ever sent (ED06).
 */
function judgeOwnDecision(payment: Payment, breach: Breach): void {
  const { decision, decidedAt = 0, deadlineAt, judgedAt, journal } = payment;
  const attempts = payment.deliveries['instruction']?.attempts ?? [];
  const sends = attempts.map(lineOfAttempt);
  if (decision?.status !== 'RJCT') {
    breach('The gateway by itself decided otherwise than RJCT.');
    return;
  }
  if (decision.reason_code === 'AB03') {
    if (deadlineAt === undefined)
      breach('The gateway rejected a NORM payment on a timeout (TIM-2).', ...sends);
    else if (decidedAt < deadlineAt - 50)
      breach(
        'The gateway rejected a HIGH payment before its deadline (TIM-1).',
        `deadline ${clock(deadlineAt)}`,
      );
    return;
  }
  if (decision.reason_code !== 'ED06') {
    breach(`The gateway rejected an accepted payment with ${decision.reason_code ?? 'no code'}.`);
    return;
  }
  if (deadlineAt !== undefined) breach('The gateway rejected a HIGH payment as unreachable (TIM-3).');
  if (attempts.length === 0) breach('A payment was rejected as unreachable without an attempt (TIM-3).');
  const sent = attempts.filter(({ row, startedAt }) => row.outcome !== 'NOT_SENT' && startedAt < decidedAt);
  if (sent.length > 0)
    breach(
      'A payment was rejected as unreachable after an attempt that may have been read (TIM-3).',
      ...sends,
    );
  if (decidedAt < judgedAt + 60 * second - 50)
    breach('A payment was rejected as unreachable before 60 s had passed (TIM-3).', ...sends);
  const seen = journal.find(({ kind, direction }) => kind === 'pacs008' && direction === 'received');
  if (seen !== undefined)
    breach('A payment was rejected as unreachable that its destination had seen.', seen);
}

const afterwards: ReadonlySet<string> = new Set(['payment.in-doubt']);

/** After the final status, no instruction is sent and the payment enters no other state. */
function judgeAfterFinal(world: World, report: Report, payment: Payment): void {
  const { uetr, decision, decidedAt, events } = payment;
  const attempts = payment.deliveries['instruction']?.attempts ?? [];
  const early = attempts.find(({ startedAt }) => startedAt < payment.judgedAt - 1);
  if (early !== undefined) {
    report.breach('I-8', 'An instruction was sent before its payment was accepted.', uetr, [early.row]);
  }
  if (decision === undefined || decidedAt === undefined) return;
  const late = attempts.filter(({ startedAt }) => {
    const tolerance = world.quiet.isCalm([], decidedAt - second, startedAt) ? 500 : lockMs;
    return startedAt > decidedAt + tolerance;
  });
  if (late.length > 0) {
    const statement = 'An instruction was sent after the final of its payment.';
    const started = late.map(lineOfAttempt);
    const lastAt = Math.max(...late.map(({ startedAt }) => startedAt));
    if (lastAt > decidedAt + lockMs) report.breach('I-8', statement, uetr, [decision, ...started]);
    // The commit of the decision may have waited for a lock.
    else report.late('I-8', statement, uetr, [decision, ...started], { from: decidedAt, to: lastAt });
  }
  const event = events.find(
    ({ kind, occurred_at: at }) => afterwards.has(kind) && instant(at) > decidedAt + lockMs,
  );
  if (event !== undefined)
    report.breach('I-8', 'A payment became in doubt after its final.', uetr, [decision, event]);
}

/**
 * TIM-1: the deadline of a HIGH payment counts from `AccptncDtTm`, not from the payment's arrival. A NORM
 * payment has no deadline.
 */
function judgeStoredDeadline(report: Report, { uetr, row, deadlineAt, acceptedAt = 0 }: Payment): void {
  const stored = instant(row.deadline_at);
  const isRight =
    stored === undefined || deadlineAt === undefined
      ? stored === deadlineAt
      : Math.abs(stored - deadlineAt) <= 1.5;
  if (isRight) return;
  report.breach(
    'R:TIM-1',
    'The deadline of a payment is not that of its system, from its acceptance on.',
    uetr,
    [
      `accepted ${clock(acceptedAt)}, priority ${row.priority ?? ''}`,
      `deadline ${row.deadline_at ?? 'none'} instead of ${deadlineAt === undefined ? 'none' : clock(deadlineAt)}`,
    ],
  );
}

const deadlineErrorMs = 250; // TIM-1: the greatest error of the deadline
const hopelessMs = 5_000; // no machine is so late by chance

/**
 * TIM-1: checks how late decisions come after a deadline. A slow machine sometimes exceeds 250 ms; a defect
 * exceeds it often or by far. Decisions by the destination after the deadline also count, because the gateway
 * should already have decided.
 */
function judgeDeadlineErrors(world: World, report: Report): void {
  const errors = world.payments.flatMap(({ uetr, decision, decidedAt, deadlineAt, judgedAt }) => {
    if (decision === undefined || decidedAt === undefined || deadlineAt === undefined) return [];
    const isOwn = decision.decided_by === 'gateway' && decision.reason_code === 'AB03';
    if (!isOwn && decidedAt < deadlineAt) return [];
    if (!world.quiet.isCalm([], Math.min(deadlineAt - 20 * second, judgedAt), decidedAt)) return [];
    return [{ uetr, deadlineAt, errorMs: decidedAt - deadlineAt }];
  });
  report.examined('R:TIM-1', 'deadlines that passed while nothing of ours was broken', errors.length);
  const statementOf = (errorMs: number) =>
    `A deadline passed, and the decision came ${Math.round(errorMs)} ms later.`;
  const isLate = ({ errorMs }: { readonly errorMs: number }) => errorMs > deadlineErrorMs;
  const judged = errors.filter(({ uetr, errorMs, deadlineAt }) => {
    const during = { from: deadlineAt, to: deadlineAt + errorMs };
    return !isLate({ errorMs }) || !report.isUnjudged('R:TIM-1', statementOf(errorMs), uetr, during);
  });
  const late = judged.filter(isLate);
  const isRule = late.length > 2 && late.length > judged.length / 5;
  for (const { uetr, errorMs } of late) {
    if (!isRule && errorMs < hopelessMs) continue;
    report.breach('R:TIM-1', statementOf(errorMs), uetr, [`${late.length} of ${judged.length} were late`]);
  }
}
