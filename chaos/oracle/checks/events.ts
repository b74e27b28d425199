// What each audit event says, against the rows: nobody is told of a contradiction, a refused report, an answer or a
// reason that was another one, or of somebody else (PAY-7, PAY-8, RES-4, LIF-2, NOT-1). That each cause has its event
// is judged in alerts.ts, told.ts and replies.ts too; defects of ours in pace.ts.
import { readMessage, textAt } from '../read-message.ts';
import { instant, rowsOf, type AuditRow } from '../rows.ts';
import type { Report } from '../verdict.ts';
import { grouped, isPost, type Payment, type World } from '../world.ts';
import { faultsIn, type Line } from './shown-members.ts';

export function judgeEvents(world: World, report: Report): void {
  judgeSeverities(world, report);
  judgeContradictions(world, report);
  judgeRefusedReports(world, report);
  judgeReportEvents(world, report);
  judgeUnlistedReasons(world, report);
  judgeRefusedAnswers(world, report);
  judgeUnreadAnswers(world, report);
  judgeStartedAgain(world, report);
  judgeNoEndpoint(world, report);
}

const ofKind = ({ events }: World, ...kinds: readonly string[]) =>
  events.filter(({ kind }) => kinds.includes(kind));
const subjectOf = ({ subject_id: subject, kind }: AuditRow) => subject ?? kind;

/** Who is told: info nobody, alert whoever is on duty, security whoever watches over it. */
const severities: Readonly<Record<string, string>> = {
  'party.at-limit': 'alert',
  'payment.contradiction': 'alert',
  'payment.destination-paused': 'info',
  'payment.in-doubt': 'alert',
  'payment.content-changed': 'security',
  'payment.uetr-of-another': 'security',
  'resolution.content-changed': 'security',
  'resolution.reason-unlisted': 'info',
  'resolution.answer-refused': 'alert',
  'destination.answer-refused': 'alert',
  'report.unknown-payment': 'security',
  'report.not-the-destination': 'security',
  'report.original-ids-differ': 'security',
  'report.invalid': 'info',
  'payment.report-deviates': 'info',
  'delivery.dead-letter': 'alert',
  'delivery.taken-after-all': 'info',
  'confirmation.asked-again': 'info',
  'notification.no-endpoint': 'alert',
  'execution.stuck': 'alert',
  'sweep.started-again': 'info',
};

function judgeSeverities({ events }: World, report: Report): void {
  const known = events.filter(({ kind }) => severities[kind] !== undefined);
  report.examined('I-17', 'events of a known kind', known.length);
  for (const event of known.filter(({ kind, severity }) => severities[kind] !== severity)) {
    const statement = `An event ${event.kind} has the severity ${event.severity}.`;
    report.breach('I-17', statement, subjectOf(event), [event]);
  }
}

/** PAY-7: what was decided, and what was reported instead, the right way round and with the reasons of each. */
function judgeContradictions(world: World, report: Report): void {
  const alerts = ofKind(world, 'payment.contradiction');
  report.examined('R:PAY-7', 'alerts of contradictions', alerts.length);
  for (const event of alerts) {
    const { subject_id: uetr, detail, party } = event;
    const payment = world.paymentOf.get(uetr ?? '');
    const final = world.messageOf.get(String(detail['reportMessageId']))?.row;
    const wrong = faultsIn([
      ['decided', detail['decided'], payment?.decision?.status],
      ['decidedReason', detail['decidedReason'], payment?.decision?.reason_code],
      ['reported', detail['reported'], final?.status],
      ['reportedReason', detail['reportedReason'], final?.reason_code],
      ['about', final?.subject_id, uetr],
      ['party', party, payment?.row.destination_clearing_system],
    ]);
    if (wrong.length === 0) continue;
    const statement = 'An alert tells another contradiction than there is.';
    report.breach('R:PAY-7', statement, subjectOf(event), [event, ...wrong]);
  }
}

const kindOfStatus: Readonly<Record<number, string>> = {
  403: 'report.not-the-destination',
  404: 'report.unknown-payment',
  409: 'report.original-ids-differ',
};
const statuses: readonly unknown[] = ['ACCC', 'RJCT', 'BLCK', 'ACWP', 'ACTC'];
const clockMs = 5;

/** PAY-8: each refused report is on record by why it was refused, by whom it came and by the status that it states. */
function judgeRefusedReports(world: World, report: Report): void {
  const refused = world.evidence.exchanges.filter(
    (one) => isPost(one, '/iso20022/pacs002') && kindOfStatus[one.status ?? 0] !== undefined,
  );
  report.examined('R:PAY-8', 'refused reports, and what is on record of each', refused.length);
  for (const exchange of refused) {
    const root = readMessage(exchange.requestBody ?? '')?.root;
    const stated = textAt(root, 'TxInfAndSts/TxSts') ?? null;
    const kind = kindOfStatus[exchange.status ?? 0];
    const about = textAt(root, 'TxInfAndSts/OrgnlUETR');
    const isNoted = world.events.some(
      (one) =>
        one.kind === kind &&
        one.subject_id === about &&
        one.party === exchange.client &&
        one.detail['reported'] === (statuses.includes(stated) ? stated : null) &&
        instant(one.occurred_at) >= instant(exchange.sentAt) - clockMs &&
        instant(one.occurred_at) <= instant(exchange.endedAt) + clockMs,
    );
    if (isNoted) continue;
    const statement = 'A refused report is not on record as what it was, with what it reported.';
    report.breach('R:PAY-8', statement, about ?? exchange.path, [
      `HTTP ${exchange.status ?? ''} to ${exchange.client}: ${kind ?? ''}, reported ${stated ?? 'nothing'}`,
      ...world.events.filter((one) => one.kind.startsWith('report.') && one.subject_id === about),
    ]);
  }
}

const lockMs = 5_000; // a payment's time is that of the begin of its statement; a lock may hold it up

/** PAY-8: whoever is on record for a report had none to give. */
function judgeReportEvents(world: World, report: Report): void {
  const events = ofKind(world, ...Object.values(kindOfStatus), 'report.invalid');
  report.examined('R:PAY-8', 'events of refused reports', events.length);
  for (const event of events) {
    const payment = world.paymentOf.get(event.subject_id ?? '');
    const reported = event.detail['reported'];
    const isStated = reported === null || statuses.includes(reported);
    if (isStated && isTrueOf(world, event, payment)) continue;
    const statement = `An event ${event.kind} is not true of the payment and of who reported.`;
    report.breach('R:PAY-8', statement, subjectOf(event), [event, payment?.row]);
  }
}

function isTrueOf({ quiet }: World, event: AuditRow, payment: Payment | undefined): boolean {
  const isAccepted = payment?.row.accepted === true;
  if (event.kind === 'report.unknown-payment') {
    const at = instant(event.occurred_at);
    const judgedAt = payment?.judgedAt ?? at;
    return !isAccepted || judgedAt > at - lockMs || quiet.isOursBroken(judgedAt, at, lockMs);
  }
  const isDestination = event.party === payment?.row.destination_clearing_system;
  return isAccepted && (event.kind !== 'report.not-the-destination' || !isDestination);
}

/** RES-4, in the words of the scheme. */
const listedReasons: ReadonlySet<string> = new Set(
  'AC01 AC04 AC06 AGNT AB08 BE23 DUPL FRAD MD07 RC06 RC07 RR01 RR02'.split(' '),
);

/** RES-4: a party's reason that is not listed passes on, and is on record; a listed one is not. */
function judgeUnlistedReasons(world: World, report: Report): void {
  const answers = rowsOf(world.evidence.tables, 'resolution_answers');
  const events = grouped(ofKind(world, 'resolution.reason-unlisted'), subjectOf);
  const passedOn = answers.filter(
    ({ report_message_id: id, reason_code: code }) => id !== null && code !== null,
  );
  const isUnlisted = (code: string | null) => code !== null && !listedReasons.has(code);
  report.examined('R:RES-4', "parties' reasons that were passed on", passedOn.length);
  report.examined(
    'R:RES-4',
    'reasons among them that are not listed',
    passedOn.filter(({ reason_code: code }) => isUnlisted(code)).length,
  );
  for (const { resolution_id: id, reason_code: code, report_message_id: by } of answers) {
    const told = (events.get(id) ?? []).map(({ detail }) => detail['reasonCode']);
    const due = by !== null && isUnlisted(code) ? [code] : [];
    if (told.length === due.length && told.every((one, index) => one === due[index])) continue;
    const statement =
      due.length > told.length
        ? 'A reason that is not listed was passed on, and is not on record.'
        : 'A reason is on record as not listed that was not given, or is listed.';
    report.breach('R:RES-4', statement, id, [`reason ${code ?? 'none'}`, ...(events.get(id) ?? [])]);
  }
}

/** PAY-8, RES-1: an answer that does not count is of somebody who was asked. */
function judgeRefusedAnswers(world: World, report: Report): void {
  const events = ofKind(world, 'destination.answer-refused', 'resolution.answer-refused');
  report.examined('R:PAY-8', 'alerts of answers that do not count', events.length);
  const bySubject = grouped(world.deliveries, ({ row }) => row.subject_id);
  for (const event of events) {
    const { kind, party, detail, subject_id: subject } = event;
    const isPayment = kind === 'destination.answer-refused';
    const asked = (bySubject.get(subject ?? '') ?? []).filter(
      ({ row }) =>
        row.party === party && (isPayment ? row.kind === 'instruction' : row.kind.endsWith('-enquiry')),
    );
    const isAsked = asked.some(({ attempts }) =>
      attempts.some(({ startedAt }) => startedAt <= instant(event.occurred_at) + clockMs),
    );
    const { reported = null } = detail;
    if (isAsked && (reported === null || statuses.includes(reported))) continue;
    const statement = 'An alert tells of an answer of somebody who was not asked, or of no status.';
    report.breach(isPayment ? 'R:PAY-8' : 'R:RES-1', statement, subjectOf(event), [event]);
  }
}

/** RES-1: what a party answered 200 to an enquiry is stored, or a person is told why it does not count. */
function judgeUnreadAnswers(world: World, report: Report): void {
  const answered = world.deliveries.filter(
    ({ row, attempts }) =>
      row.kind.endsWith('-enquiry') && attempts.some(({ httpStatus }) => httpStatus === 200),
  );
  report.examined('R:RES-1', 'enquiries that were answered', answered.length);
  const stored = new Set(world.messages.map(({ row }) => row.in_reply_to));
  const told = ofKind(world, 'resolution.answer-refused', 'answer.defect');
  for (const { row } of answered) {
    if (stored.has(row.message_id)) continue;
    if (told.some((one) => one.subject_id === row.subject_id && one.party === row.party)) continue;
    const statement = "A party's answer to an enquiry is not stored, and no alert says why.";
    report.breach('R:RES-1', statement, row.subject_id, [row]);
  }
}

/** LIF-2: what the sweep says that it found is there, and what it ended was of its subject. */
function judgeStartedAgain(world: World, report: Report): void {
  const events = ofKind(world, 'sweep.started-again', 'execution.stuck');
  report.examined('R:LIF-2', 'events of the sweep', events.length);
  for (const event of events) {
    const isTrue = event.kind === 'execution.stuck' ? isOfSubject(event) : isFound(world, event);
    if (isTrue) continue;
    const statement = 'The sweep told of something that is not on record.';
    report.breach('R:LIF-2', statement, subjectOf(event), [event]);
  }
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

function isOfSubject({ detail, subject_id: subject }: AuditRow): boolean {
  const [named] = uuid.exec(String(detail['workflowId'])) ?? [];
  return named === undefined || named === subject; // that of a resolution names its MsgId
}

function isFound(world: World, { detail, subject_id: subject }: AuditRow): boolean {
  const payment = world.paymentOf.get(subject ?? '');
  const isAccepted = payment?.row.accepted === true;
  const hasReport = isAccepted && payment.reports.length > 0;
  switch (detail['found']) {
    case 'submissions':
      return world.messages.some(({ row }) => row.direction === 'in' && row.subject_id === subject);
    case 'payments':
    case 'enquiries':
    case 'deadlines':
      return isAccepted;
    case 'finals':
      return hasReport;
    case 'lateFinals':
      return hasReport && payment.decision !== undefined;
    case 'deliveries':
      return world.deliveries.some(({ row }) => row.subject_id === subject);
    case 'resolutions':
      return rowsOf(world.evidence.tables, 'resolutions').some((row) => row.resolution_id === subject);
    default:
      return false;
  }
}

/** NOT-1: of a payment with a quote, and of the FX provider of that quote. */
function judgeNoEndpoint(world: World, report: Report): void {
  const alerts = ofKind(world, 'notification.no-endpoint');
  report.examined('R:NOT-1', 'alerts of FX providers without an address', alerts.length);
  for (const event of alerts) {
    const fxp = world.paymentOf.get(event.subject_id ?? '')?.row.fxp_id ?? '';
    const lines: readonly Line[] = [
      ['party', event.party, world.reference.institutions.get(fxp)?.bics[0] ?? fxp],
      ['has a quote', fxp !== '', true],
    ];
    const wrong = faultsIn(lines);
    if (wrong.length === 0) continue;
    const statement = 'An alert tells of an FX provider that is not that of the payment.';
    report.breach('R:NOT-1', statement, subjectOf(event), [event, ...wrong]);
  }
}
