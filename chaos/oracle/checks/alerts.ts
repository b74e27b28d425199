// What operators are told by an alert or a security event has its cause on record, and each cause has its alert: PAY-7
// (contradictions), TIM-2 (in doubt), PAY-8 (answers that do not count), CBK-1 (dead letters), DUP-2 (resolutions).
import { clock, instant, type AuditRow } from '../rows.ts';
import type { Report } from '../verdict.ts';
import type { Delivery, Payment, World } from '../world.ts';
import { standingOf } from './lines.ts';

const day = 24 * 3_600_000;
const clockMs = 5_000;
const noticedMs = 60_000; // until the sweep has seen to what was lost (LIF-2)

export function judgeAlerts(world: World, report: Report): void {
  for (const payment of world.payments) {
    judgeContradictions(world, report, payment);
    judgeDoubt(report, payment);
    judgeRefusedAnswers(world, report, payment);
  }
  judgeDeadLetters(world, report);
  judgeOtherQuestions(world, report);
}

const finals: readonly string[] = ['ACCC', 'RJCT', 'BLCK'];
const ofKind = (events: readonly AuditRow[], kind: string, severity = 'alert') =>
  events.filter((one) => one.kind === kind && one.severity === severity);

/** PAY-7: an alert for each final that differs from the decision, or for another with its status; and for no other. */
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

/** TIM-2: a person is asked after 24 hours, not before. */
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

/** PAY-8: a 200 that is no pacs.002 about this payment does not count, and a person is told. */
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

/** CBK-1: the alert of a dead letter says what it is about, and what was decided; so does what takes it back. */
function judgeDeadLetters(world: World, report: Report): void {
  const deliveryOf = new Map(world.deliveries.map((one) => [one.row.delivery_id, one]));
  const ends = ofKind(world.events, 'delivery.dead-letter');
  const takenBack = ofKind(world.events, 'delivery.taken-after-all', 'info');
  report.examined('I-17', 'alerts of dead letters', ends.length);
  report.examined('I-17', 'alerts of dead letters that were taken back', takenBack.length);
  for (const event of [...ends, ...takenBack]) {
    const delivery = deliveryOf.get(String(event.detail['deliveryId']));
    const wrong = [
      ...(delivery === undefined ? ['of no delivery'] : detailFaults(world, delivery, event)),
      ...(takenBack.includes(event) && !hasEnded(ends, event) ? ['of no dead letter'] : []),
    ];
    if (wrong.length === 0) continue;
    const statement = 'The alert of a dead letter does not say what its receiver must be told (CBK-1).';
    report.breach('I-17', statement, event.subject_id ?? '', [event, ...wrong]);
  }
}

/** Whether there was a dead letter of that delivery before. */
const hasEnded = (ends: readonly AuditRow[], { detail, occurred_at: at }: AuditRow) =>
  ends.some(
    (one) => one.detail['deliveryId'] === detail['deliveryId'] && instant(one.occurred_at) <= instant(at),
  );

function detailFaults(
  { paymentOf }: World,
  { row }: Delivery,
  { detail, party, subject_id: subject }: AuditRow,
): readonly string[] {
  const decision = paymentOf.get(row.subject_id)?.decision;
  const lines: readonly (readonly [string, unknown, unknown])[] = [
    ['party', party, row.party],
    ['subject', subject, row.subject_id],
    ['kind', detail['kind'], row.kind],
    ['reason', ['gone', 'expired'].includes(String(detail['reason'])), true],
    ...(row.asks === '1' && row.closed_reason !== null
      ? ([['reason', detail['reason'], row.closed_reason]] as const)
      : []),
    ['about', detail['about'], paymentOf.has(row.subject_id) ? 'payment' : 'resolution'],
    ['status', detail['status'] ?? null, decision?.status ?? null],
    ['reasonCode', detail['reasonCode'] ?? null, decision?.reason_code ?? null],
  ];
  return lines
    .filter(([, is, mustBe]) => is !== mustBe)
    .map(([what, is, mustBe]) => `${what}: ${String(is)} instead of ${String(mustBe)}`);
}

/** DUP-2: another question under the MsgId of an earlier one of the same sender is a security event. */
function judgeOtherQuestions(world: World, report: Report): void {
  const resolutions = new Set(
    (world.evidence.tables['resolutions'] ?? []).map((row) => row['resolution_id']),
  );
  const questions = world.messages.filter(
    ({ row }) => row.message_type === 'acmt023' && row.direction === 'in' && row.leg === 'source',
  );
  const keyOf = (one: (typeof questions)[number]) => `${one.row.party} ${one.row.message_identification}`;
  const firsts = new Map(
    questions.filter(({ row }) => resolutions.has(row.message_id)).map((one) => [keyOf(one), one]),
  );
  const answered = new Set(world.messages.map(({ row }) => row.in_reply_to));
  const others = questions.filter(
    (one) =>
      !resolutions.has(one.row.message_id) &&
      firsts.has(keyOf(one)) &&
      answered.has(one.row.message_id) &&
      one.createdAt < world.quiet.endAt - noticedMs,
  );
  report.examined('R:DUP-2', 'other questions under the MsgId of an earlier one', others.length);
  for (const other of others) {
    const first = firsts.get(keyOf(other))?.row.message_id;
    const told = ofKind(world.events, 'resolution.content-changed', 'security');
    const isTold = told.some(
      ({ subject_id: subject, party, detail }) =>
        subject === first && party === other.row.party && detail['messageId'] === other.row.message_id,
    );
    if (isTold) continue;
    const statement = 'Another question came under a known MsgId, and there is no security event.';
    report.breach('R:DUP-2', statement, first ?? '', [other.row.message_id, other.row.party]);
  }
  const ids = new Set(questions.map(({ row }) => row.message_id).filter((id) => !resolutions.has(id)));
  const events = ofKind(world.events, 'resolution.content-changed', 'security');
  const baseless = events.filter(({ detail }) => !ids.has(String(detail['messageId'])));
  if (baseless.length > 0)
    report.breach(
      'R:DUP-2',
      'A security event tells of another question that nobody asked.',
      baseless[0]?.subject_id ?? '',
      baseless,
    );
}
