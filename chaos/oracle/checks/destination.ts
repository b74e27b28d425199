// Compares the destination's journal with the decision and with the source's answers: I-2, I-4, I-18, I-19.
import type { JournalEntry } from '../read-evidence.ts';
import { clock, instant } from '../rows.ts';
import type { Report } from '../verdict.ts';
import { finals, isArrival, type Payment, type World } from '../world.ts';
import { lineOfAttempt } from './lines.ts';

export function judgeDestinations(world: World, report: Report): void {
  const { payments } = world;
  const arrived = payments.filter((payment) => instructionsOf(payment).length > 0);
  report.examined('I-2', 'payments that a destination saw', arrived.length);
  report.examined('I-4', 'payments with a final status', payments.filter(({ decision }) => decision).length);
  const own = payments.filter(({ decision, row }) => decision?.decided_by === 'gateway' && row.accepted);
  report.examined('I-18', 'decisions of the gateway on accepted payments', own.length);
  report.examined('I-18', 'finals that were stored', payments.flatMap(({ reports }) => reports).length);
  report.examined(
    'I-19',
    'HIGH payments',
    payments.filter(({ deadlineAt }) => deadlineAt !== undefined).length,
  );
  for (const payment of payments) {
    judgeInstructions(world, report, payment);
    if (!world.reportedByOthers.has(payment.uetr)) judgeTruth(world, report, payment);
    judgeStoredFinals(report, payment);
    judgeDeadline(world, report, payment);
  }
  for (const entry of world.evidence.journal) {
    if (entry.kind !== 'pacs008' || !isArrival(entry) || world.paymentOf.has(entry.uetr ?? '')) continue;
    if (entry.uetr === undefined) continue; // the destination refused it unread; I-11 compares its bytes
    report.breach('I-10', 'A destination got an instruction of which no payment is on record.', entry.uetr, [
      entry,
    ]);
  }
}

function instructionsOf({ journal }: Payment): readonly JournalEntry[] {
  return journal.filter((entry) => entry.kind === 'pacs008' && isArrival(entry));
}

/**
 * I-2: destinations receive only accepted payments. Each payment goes to one destination, always in the same
 * bytes.
 */
function judgeInstructions(world: World, report: Report, payment: Payment): void {
  const arrivals = instructionsOf(payment);
  const { uetr, row, forwarded } = payment;
  const shas = new Set(arrivals.map(({ sha256 }) => sha256));
  if (shas.size > 1) {
    report.breach(
      'I-2',
      'A destination saw more than one distinct instruction of one payment.',
      uetr,
      arrivals,
    );
  }
  if (new Set(arrivals.map(({ party }) => party)).size > 1) {
    report.breach('I-2', 'An instruction went to two destinations.', uetr, arrivals);
  }
  if (arrivals.length === 0) return;
  if (!row.accepted)
    report.breach('I-2', 'An instruction was sent for a payment that was rejected.', uetr, arrivals);
  else if (forwarded !== undefined && !shas.has(forwarded.sha256)) {
    report.breach('I-2', 'What arrived is not the instruction that is stored.', uetr, arrivals);
  }
  const operator = world.reference.systems.get(row.destination_clearing_system ?? '')?.operatorId;
  const wrong = arrivals.find(({ party }) => party !== `destination/${operator ?? ''}`);
  if (row.accepted && wrong !== undefined) {
    report.breach('I-2', "An instruction went to an operator that is not the destination's.", uetr, [wrong]);
  }
}

interface Movements {
  readonly moved: readonly JournalEntry[];
  readonly reversed: readonly JournalEntry[];
}

export function movementsOf({ journal }: Payment): Movements {
  const booked = journal.filter((entry) => entry.direction === 'booked');
  return {
    moved: booked.filter(({ status }) => status === 'moved'),
    reversed: booked.filter(({ status }) => status === 'reversed'),
  };
}

/** I-4: the final status agrees with the bookings of the destination. */
function judgeTruth(world: World, report: Report, payment: Payment): void {
  const { uetr, decision, deadlineAt, decidedAt = 0 } = payment;
  const { moved, reversed } = movementsOf(payment);
  const shown = [...moved, ...reversed];
  if (moved.length > 1) report.breach('I-4', 'A destination credited a payment twice.', uetr, shown);
  if (decision === undefined) return;
  const show = [decision, ...shown];
  const isMoved = moved.length > reversed.length;
  if (decision.status === 'ACCC' && !isMoved) {
    report.breach('I-4', 'The source was told ACCC, and no money moved (or it was returned).', uetr, show);
  }
  if (decision.status === 'BLCK' && moved.length > 0) {
    report.breach('I-4', 'The source was told BLCK, and the money moved.', uetr, show);
  }
  if (decision.status === 'RJCT' && moved.length > 0) {
    const isLate =
      deadlineAt !== undefined && decision.decided_by === 'gateway' && decidedAt >= deadlineAt - 50;
    if (!isLate) report.breach('I-4', 'The source was told RJCT, and the money moved.', uetr, show);
    else if (isMoved && !isBeingTold(world, payment)) {
      report.breach(
        'I-4',
        'A late credit was not reversed, and the destination is not being told (TIM-1).',
        uetr,
        show,
      );
    }
  }
  if (decision.decided_by === 'destination') judgeSource(world, report, payment);
}

/** Whether the gateway will still send the negative confirmation to the destination. */
function isBeingTold({ quiet }: World, { deliveries }: Payment): boolean {
  const confirmation = deliveries['confirmation'];
  if (confirmation === undefined || confirmation.deliveredAt !== undefined) return false;
  return confirmation.closedAt !== undefined || confirmation.nextDueAt > quiet.endAt - 60_000;
}

const unjournaledMs = 15_000; // a party journals a report only after the gateway has answered it

/**
 * A decision by the destination refers to a report that the destination sent, and has the report's status.
 */
function judgeSource({ messageOf, quiet }: World, report: Report, payment: Payment): void {
  const { uetr, decision, journal } = payment;
  const stored = messageOf.get(decision?.report_message_id ?? '');
  if (stored === undefined || decision === undefined) {
    report.breach('I-4', 'A decision of the destination has no report that it rests on.', uetr, [decision]);
    return;
  }
  const said = journal.filter((entry) => entry.direction === 'sent' && finals.includes(entry.status ?? ''));
  if (
    !said.some(({ sha256 }) => sha256 === stored.sha256) &&
    stored.createdAt < quiet.endAt - unjournaledMs
  ) {
    report.breach('I-4', 'The decision rests on a report that the destination never sent.', uetr, [
      decision,
      ...said,
    ]);
  }
  const isSame = stored.row.status === decision.status && stored.row.reason_code === decision.reason_code;
  if (!isSame) {
    report.breach('I-4', 'The decision is not what the report says that it rests on.', uetr, [
      decision,
      stored.row,
    ]);
  }
}

/**
 * I-18: if a final status was stored before the gateway decided, that status is the decision. Among several,
 * the first one stored is the decision (PAY-7).
 */
function judgeStoredFinals(report: Report, payment: Payment): void {
  const { uetr, decision, decidedAt = 0, row } = payment;
  if (decision === undefined || !row.accepted) return;
  const marked = payment.deliveries['instruction']?.row.final_report_id ?? null;
  const stored = payment.reports.filter(({ row: one }) => finals.includes(one.status ?? ''));
  const shown = [decision, ...stored.map((one) => `${one.row.status ?? ''} stored ${clock(one.createdAt)}`)];
  if (decision.decided_by === 'destination') {
    if (marked !== null && marked !== decision.report_message_id) {
      report.breach('I-18', 'Another final was stored first than the one that decided (PAY-7).', uetr, shown);
    }
    return;
  }
  const lockMs = 4_000; // the SQL statement may have waited this long for a row lock
  const isEarlier = stored.some(({ createdAt }) => createdAt < decidedAt - lockMs);
  if (marked !== null || isEarlier) {
    report.breach(
      'I-18',
      'The gateway decided by itself, though a final of the destination was stored.',
      uetr,
      shown,
    );
    return;
  }
  const answered = answeredFinal(payment, decidedAt);
  if (answered !== undefined) {
    const read = `HTTP answer journaled ${answered.at}: ${answered.status ?? ''}`;
    report.late(
      'I-18',
      'The gateway decided by itself, though the destination had answered with a final.',
      uetr,
      [...shown, read],
      { from: instant(answered.at), to: decidedAt },
    );
  }
}

/**
 * Finds a final status in an HTTP answer of the destination that a worker had read more than 1 s before the
 * decision.
 */
function answeredFinal(payment: Payment, decidedAt: number): JournalEntry | undefined {
  const read = payment.deliveries['instruction']?.attempts.filter(
    ({ httpStatus, finishedAt = Infinity }) => httpStatus === 200 && finishedAt < decidedAt - 1_000,
  );
  return payment.journal.find(
    (entry) =>
      entry.direction === 'sent' &&
      entry.note === 'in the HTTP answer' &&
      finals.includes(entry.status ?? '') &&
      (read?.some(({ startedAt, finishedAt = 0 }) => {
        const at = instant(entry.at);
        return at >= startedAt && at <= finishedAt;
      }) ??
        false),
  );
}

const arrivalToleranceMs = 250; // TIM-1: tolerance for an arrival after the deadline
/**
 * I-19: after the deadline of a HIGH payment, the destination receives nothing but the negative confirmation.
 */
function judgeDeadline(world: World, report: Report, payment: Payment): void {
  const { uetr, deadlineAt, deliveries, journal } = payment;
  if (deadlineAt === undefined) return;
  const attempts = deliveries['instruction']?.attempts ?? [];
  const late = attempts.filter(
    ({ startedAt, row }) => startedAt > deadlineAt + arrivalToleranceMs && row.outcome !== 'NOT_SENT',
  );
  const shown = [`deadline ${clock(deadlineAt)}`];
  if (late.length > 0) {
    report.breach('I-19', 'An instruction was sent after the deadline of a HIGH payment.', uetr, [
      ...shown,
      ...late.map(lineOfAttempt),
    ]);
    return;
  }
  for (const entry of journal) {
    const at = instant(entry.at);
    if (!isArrival(entry) || !entry.party.startsWith('destination/') || at <= deadlineAt + arrivalToleranceMs)
      continue;
    if (entry.kind === 'pacs002' && (entry.status === 'RJCT' || payment.decision?.status !== 'RJCT'))
      continue;
    const from = Math.max(...attempts.map(({ startedAt }) => startedAt), deadlineAt - 20_000);
    if (world.quiet.isWayBroken(entry.party, from, at) && entry.kind === 'pacs008') continue;
    report.late(
      'I-19',
      `A ${entry.kind} reached the destination after the deadline of a HIGH payment.`,
      uetr,
      [...shown, entry],
      { from: deadlineAt, to: at },
    );
  }
}
