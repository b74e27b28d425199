// Checks the payments that still wait at the end (I-1, I-15). A payment may wait only if its destination is
// silent and its next enquiry is scheduled. Any other waiting payment is lost.
import { clock, instant, rowsOf } from '../rows.ts';
import type { Report } from '../verdict.ts';
import { finals, type Payment, type World } from '../world.ts';
import { lineOfAttempt } from './lines.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * TIM-2: the times of the enquiries about a NORM payment without a final status, in milliseconds after its
 * acceptance.
 */
export const enquiryTimesMs: readonly number[] = [
  minute,
  5 * minute,
  30 * minute,
  ...Array.from({ length: 22 }, (_, index) => 2.5 * hour + index * hour),
  24 * hour,
];

const graceMs = 60 * second; // the delay that I-15 and I-17 allow

export function judgeWaiting(world: World, report: Report): void {
  const { payments, quiet } = world;
  report.examined('I-1', 'payments on record', payments.length);
  for (const payment of payments) {
    if (payment.decisions.length > 1) {
      report.breach('I-1', 'A payment has more than one final status.', payment.uetr, payment.decisions);
    }
  }
  const waiting = payments.filter((payment) => payment.decision === undefined);
  report.examined('I-15', 'payments that still wait', quiet.isSettled ? waiting.length : 0);
  report.examined('I-15', 'payments that have ended', payments.length - waiting.length);
  if (!quiet.isSettled) return;
  for (const payment of waiting) judgePayment(world, report, payment);
  judgeSubmissions(world, report);
  judgeResolutions(world, report);
}

function judgePayment(world: World, report: Report, payment: Payment): void {
  const { uetr, judgedAt, row } = payment;
  const { endAt } = world.quiet;
  const show = [`judged ${clock(judgedAt)}, still undecided ${clock(endAt)}`, row.priority ?? ''];
  if (!row.accepted) {
    report.breach('I-1', 'A payment that was rejected at once has no decision.', uetr, show);
    return;
  }
  const final = payment.reports.find((one) => finals.includes(one.row.status ?? ''));
  if (final !== undefined && final.createdAt < endAt - graceMs) {
    const stored = `final ${final.row.status ?? ''} stored ${clock(final.createdAt)}`;
    report.breach('I-15', 'A final of the destination is stored and has not been applied (PAY-7).', uetr, [
      ...show,
      stored,
    ]);
    return;
  }
  if (payment.deadlineAt !== undefined) {
    if (payment.deadlineAt > endAt - 10 * second) return;
    report.breach('I-1', 'A HIGH payment is past its deadline and has no final status (TIM-1).', uetr, [
      ...show,
      `deadline ${clock(payment.deadlineAt)}`,
    ]);
    return;
  }
  judgeNorm(world, report, payment, show);
}

function judgeNorm(world: World, report: Report, payment: Payment, show: readonly string[]): void {
  const { uetr, judgedAt, events } = payment;
  const { endAt, settledAt } = world.quiet;
  const attempts = payment.deliveries['instruction']?.attempts ?? [];
  const sends = attempts.map(lineOfAttempt);
  const isReachable = attempts.some(({ row }) => row.outcome !== 'NOT_SENT');
  if (!isReachable && judgedAt < endAt - minute - graceMs) {
    const why = attempts.length === 0 ? 'was never sent' : 'never reached its destination';
    report.breach(
      'I-15',
      `A NORM payment ${why} and is neither tried nor rejected after 60 s (TIM-3).`,
      uetr,
      [...show, ...sends],
    );
    return;
  }
  const due = enquiryTimesMs.map((afterMs) => judgedAt + afterMs).filter((at) => at < endAt - graceMs);
  const lastDue = due.at(-1);
  const isEnquired = lastDue === undefined || attempts.some(({ startedAt }) => startedAt > lastDue - second);
  if (!isEnquired) {
    const shown = [...show, `enquiry due ${clock(lastDue)}`, ...sends];
    report.late(
      'I-15',
      'A NORM payment waits, and the enquiry that was due was not made (TIM-2).',
      uetr,
      shown,
      { from: lastDue, to: endAt },
    );
  }
  if (judgedAt < endAt - 24 * hour && !events.some(({ kind }) => kind === 'payment.in-doubt')) {
    report.breach('I-1', 'A payment is undecided after 24 hours, and nobody is alerted (TIM-2).', uetr, show);
  }
  if (world.evidence.executions.length === 0) return;
  const own = world.evidence.executions.filter((one) => one.workflowId === `pacs008/${uetr}`);
  if (!own.some(({ status }) => status === 'RUNNING') && judgedAt < settledAt) {
    report.breach('I-15', 'A payment waits, and no execution is there to go on with it (LIF-2).', uetr, [
      ...show,
      ...own,
    ]);
  }
}

/** Reports submissions that are stored but were never judged. */
function judgeSubmissions(world: World, report: Report): void {
  const { messages, payments, quiet, evidence } = world;
  const judged = new Set([
    ...payments.map(({ row }) => row.message_id),
    ...messages.flatMap(({ row }) => (row.in_reply_to === null ? [] : [row.in_reply_to])),
    ...rowsOf(evidence.tables, 'resolutions').map((row) => row.resolution_id),
  ]);
  const stored = messages.filter(({ row }) => row.direction === 'in' && row.leg === 'source');
  report.examined('I-15', 'submissions', stored.length);
  for (const { row, createdAt } of stored) {
    if (judged.has(row.message_id) || createdAt > quiet.endAt - graceMs) continue;
    const shown = [
      `${row.message_type} ${row.message_identification} of ${row.party} stored ${clock(createdAt)}`,
    ];
    report.breach(
      'I-15',
      'A submission is stored and was never judged (LIF-2).',
      row.subject_id ?? row.message_id,
      shown,
    );
  }
}

/** RES-1: checks that each resolution is answered by its deadline. */
function judgeResolutions(world: World, report: Report): void {
  const { tables } = world.evidence;
  const answers = rowsOf(tables, 'resolution_answers');
  const answered = new Set(answers.map((row) => row.resolution_id));
  const resolutions = rowsOf(tables, 'resolutions');
  report.examined('I-15', 'resolutions', resolutions.length);
  for (const row of resolutions) {
    if (answered.has(row.resolution_id) || instant(row.deadline_at) > world.quiet.endAt - graceMs) continue;
    report.breach('I-15', 'A resolution is past its deadline and has no answer (RES-1).', row.resolution_id, [
      row,
    ]);
  }
}
