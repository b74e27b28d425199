// Checks that each alert has its cause on record, and that each cause has its alert. The causes are
// contradictions (PAY-7), payments in doubt (TIM-2) and answers that do not count (PAY-8). deliveries.ts
// checks the alerts of dead letters.
import { clock, instant, type AuditRow } from '../rows.ts';
import type { Report } from '../verdict.ts';
import { finals, type Payment, type World } from '../world.ts';
import { standingOf } from './lines.ts';

const day = 24 * 3_600_000;
const clockMs = 5_000;
const noticedMs = 60_000; // time that the sweep needs to recover lost work (LIF-2)

export function judgeAlerts(world: World, report: Report): void {
  for (const payment of world.payments) {
    judgeContradictions(world, report, payment);
    judgeDoubt(report, payment);
    judgeRefusedAnswers(world, report, payment);
  }
}

const ofKind = (events: readonly AuditRow[], kind: string, severity = 'alert') =>
  events.filter((one) => one.kind === kind && one.severity === severity);

/**
 * PAY-7: each reported final status that differs from the decision has an alert. One alert covers all reports
 * with the same status. No alert exists without such a report.
 */
function judgeContradictions({ quiet }: World, report: Report, payment: Payment): void {
  const { uetr, decision, reports, events } = payment;
  const alerts = ofKind(events, 'payment.contradiction');
  if (decision === undefined) {
    if (alerts.length > 0)
      report.breach('R:PAY-7', 'A contradiction is told of an undecided payment.', uetr, alerts);
    return;
  }
  const differing = reports.filter(
    ({ row }) => finals.includes(row.status ?? '') && row.status !== decision.status,
  );
  const due = differing.filter(({ createdAt }) => createdAt < quiet.endAt - noticedMs);
  report.examined('R:PAY-7', 'finals that differ from the decision', due.length);
  for (const one of due) {
    if (alerts.some(({ detail }) => detail['reported'] === one.row.status)) continue;
    const stored = `${one.row.status ?? ''} stored ${clock(one.createdAt)}`;
    const statement = 'A final that differs from the decision raised no alert.';
    report.breach('R:PAY-7', statement, uetr, [decision, stored]);
  }
  const ids = new Set(differing.map(({ row }) => row.message_id));
  const baseless = alerts.filter(({ detail }) => !ids.has(String(detail['reportMessageId'])));
  if (baseless.length > 0)
    report.breach('R:PAY-7', 'An alert tells of a contradiction that there is none of.', uetr, [
      decision,
      ...baseless,
    ]);
}

/** TIM-2: no payment becomes in doubt before 24 hours have passed. */
function judgeDoubt(report: Report, { uetr, judgedAt, events, row }: Payment): void {
  const early = ofKind(events, 'payment.in-doubt').filter(
    ({ occurred_at: at }) => instant(at) < judgedAt + day - clockMs,
  );
  if (early.length === 0) return;
  report.breach('R:TIM-2', 'A payment was called in doubt before 24 hours had passed.', uetr, [
    row,
    ...early,
  ]);
}

/** PAY-8: a 200 without a pacs.002 about this payment counts as no answer, and raises an alert. */
function judgeRefusedAnswers({ quiet }: World, report: Report, payment: Payment): void {
  const { uetr, deliveries, events, reports } = payment;
  const instruction = deliveries['instruction'];
  if (instruction === undefined) return;
  const answered = instruction.attempts.filter(
    ({ httpStatus, finishedAt = Infinity, startedAt }) =>
      httpStatus === 200 &&
      finishedAt < quiet.endAt - clockMs &&
      !quiet.isOursBroken(startedAt, finishedAt, clockMs),
  );
  if (reports.length > 0 || answered.length === 0) return;
  report.examined('R:PAY-8', 'answers that do not count', answered.length);
  const told = ['destination.answer-refused', 'answer.defect'].flatMap((kind) => ofKind(events, kind));
  if (told.length > 0) return;
  const statement = 'A destination answered 200 with what does not count, and no alert says so.';
  report.breach('R:PAY-8', statement, uetr, [standingOf(instruction), ...answered.map(({ row }) => row)]);
}
