// How `isthmus ops` shows payments, alerts and what was done, to a person: tables of one line each, or one payment in
// full. Times are UTC, to the second, as in the record.
import { renderTable, showAmount, type Column, type Style, type Terminal } from '../terminal.ts';
import { printHindrances, receiverInWords, silenceOf } from './held-up.ts';
import type {
  ShownAlert,
  ShownDelivery,
  ShownEntry,
  ShownEvidence,
  ShownOutcome,
  ShownParties,
  ShownPause,
  ShownPayment,
} from './answers.ts';

const statusStyles: Readonly<Partial<Record<string, Style>>> = {
  ACCC: 'good',
  RJCT: 'bad',
  BLCK: 'warning',
  INDOUBT: 'warning',
};

/** `2026-01-05 04:00:00` */
export function shortTime(at: string | null): string {
  return at === null ? '-' : at.slice(0, 19).replace('T', ' ');
}

const amountOf = (money: ShownPayment['sourceAmount']) =>
  money === null ? '-' : `${showAmount(money.amount)} ${money.currency}`;

const paymentColumns: readonly Column[] = [
  { title: 'judged (UTC)' },
  { title: 'UETR' },
  { title: 'status' },
  { title: 'state' },
  { title: 'from to' },
  { title: 'prio' },
  { title: 'sent', align: 'right' },
  { title: 'arrives', align: 'right' },
  { title: 'by' },
];

export function printPayments(terminal: Terminal, payments: readonly ShownPayment[]): void {
  const rows = payments.map((one) => [
    shortTime(one.judgedAt),
    one.uetr,
    [one.status, one.reasonCode].filter((part) => part !== null).join(' '),
    one.state,
    one.corridor ?? `${one.sourceClearingSystem} -`,
    one.priority ?? '-',
    amountOf(one.sourceAmount),
    amountOf(one.destinationAmount),
    decidedBy(one),
  ]);
  printTable(terminal, paymentColumns, rows, (index) => statusStyles[payments[index]?.status ?? '']);
}

/** Who decided, and whether its destination has said otherwise since (PAY-7). */
const decidedBy = (one: ShownPayment) =>
  one.isContradicted ? `${one.decidedBy ?? '-'}, contradicted` : (one.decidedBy ?? '-');

/** The first line is the heading. */
function printTable(
  terminal: Terminal,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  styleOf: (index: number) => Style | undefined = () => undefined,
): void {
  const [heading = '', ...lines] = renderTable(columns, rows);
  terminal.line(terminal.paint('heading', heading));
  for (const [index, line] of lines.entries()) {
    const style = styleOf(index);
    terminal.line(style === undefined ? line : terminal.paint(style, line));
  }
}

const partyColumns: readonly Column[] = [
  { title: 'party' },
  { title: 'kind' },
  { title: 'state' },
  { title: 'sent', align: 'right' },
  { title: 'taken', align: 'right' },
  { title: 'p95 ms', align: 'right' },
  { title: 'last taken (UTC)' },
  { title: 'open', align: 'right' },
  { title: 'dead', align: 'right' },
  { title: 'failures' },
];

const stateStyles: Readonly<Partial<Record<string, Style>>> = { down: 'bad', failing: 'warning' };

/** Who is down, and whom nobody could tell. */
export function printParties(terminal: Terminal, shown: ShownParties): void {
  const { minutes, workers, parties, receivers } = shown;
  const silence = silenceOf(shown);
  if (silence !== undefined) terminal.line(terminal.paint('bad', silence));
  for (const one of shown.paused) {
    const line = `${one.party} is paused since ${shortTime(one.at)} by ${one.by}: ${one.because}`;
    terminal.line(terminal.paint('warning', line));
  }
  terminal.line(
    terminal.paint('muted', `Attempts of the last ${minutes} minutes; open and dead: of all time`),
  );
  const kinds = parties.flatMap(({ party, kinds: own }) => own.map((one) => ({ party, ...one })));
  const rows = kinds.map((one) => [
    one.party,
    one.kind,
    one.state,
    one.attempts,
    one.taken,
    one.p95Ms ?? '-',
    shortTime(one.lastTakenAt),
    one.open,
    one.dead,
    Object.entries(one.failures)
      .map(([failure, times]) => `${failure} ${times}`)
      .join(', '),
  ]);
  printTable(terminal, partyColumns, rows, (index) => stateStyles[kinds[index]?.state ?? '']);
  for (const { party, waiting, oldestWaitingSince } of parties.filter((one) => one.waiting !== '0')) {
    const [count, verb] = waiting === '1' ? ['1 payment', 'waits'] : [`${waiting} payments`, 'wait'];
    terminal.line(
      `${party}: ${count} ${verb} for its final status, the oldest since ${shortTime(oldestWaitingSince)}`,
    );
  }
  for (const party of parties.filter((one) => one.refused !== '0')) printRefused(terminal, party);
  for (const { receiver, parties: whose, open, probing, failuresInARow } of receivers) {
    const held = Number(open) + Number(probing);
    if (held === 0) continue;
    const line = `${receiverInWords(receiver, whose)}: breaker open in ${held} of ${workers} workers, ${failuresInARow} failures in a row`;
    terminal.line(terminal.paint('bad', line));
  }
}

/** What a party sent that did not count, with the command that says why of each: few of them are alerts (PAY-8). */
function printRefused(
  terminal: Terminal,
  { party, refused, refusedOf }: ShownParties['parties'][number],
): void {
  const line = `${party}: ${refused} of its answers and reports did not count. Why, and what they were:`;
  terminal.line(terminal.paint('warning', line));
  for (const { subjectId, about, messages } of refusedOf) {
    const where =
      about === 'payment'
        ? `ops show ${subjectId}`
        : `ops alerts --state open,taken,closed --subject-id ${subjectId}`;
    terminal.line(`  ${messages} of ${subjectId}: ${where}`);
  }
  const named = refusedOf.reduce((sum, { messages }) => sum + Number(messages), 0);
  if (named < Number(refused)) terminal.line(`  and ${Number(refused) - named} before them, of others`);
}

const alertColumns: readonly Column[] = [
  { title: 'id', align: 'right' },
  { title: 'when (UTC)' },
  { title: 'severity' },
  { title: 'kind' },
  { title: 'of' },
  { title: 'state' },
  { title: 'party' },
  { title: 'about' },
];

export function printAlerts(terminal: Terminal, alerts: readonly ShownAlert[]): void {
  const rows = alerts.map((one) => [
    one.alertId,
    shortTime(one.at),
    one.severity,
    one.kind,
    whatOf(one),
    one.takenBy === null ? one.state : `${one.state} by ${one.takenBy}`,
    one.party ?? '-',
    one.subjectId ?? '-',
  ]);
  printTable(terminal, alertColumns, rows, (index) =>
    alerts[index]?.state === 'open' ? 'warning' : undefined,
  );
}

/** What an alert is of, as far as codes say: `confirmation RJCT AB03`, or `decided RJCT, reported ACCC`. */
function whatOf({ detail }: ShownAlert): string {
  const { decided, reported } = detail;
  const codes = [detail['kind'], detail['status'], detail['reasonCode']].filter(
    (one) => typeof one === 'string',
  );
  const said = [
    codes.join(' '),
    typeof decided === 'string' ? `decided ${decided}` : '',
    typeof reported === 'string' ? `reported ${reported}` : '',
  ];
  return said.filter((one) => one !== '').join(', ') || '-';
}

export function printAlert(terminal: Terminal, alert: ShownAlert, entries: readonly ShownEntry[]): void {
  printAlerts(terminal, [alert]);
  for (const [name, value] of Object.entries(alert.detail)) terminal.line(`  ${name}: ${String(value)}`);
  printEntries(terminal, entries);
}

const namedAlerts = 10; // of an entry that is about thousands

export function printEntries(terminal: Terminal, entries: readonly ShownEntry[]): void {
  for (const { at, by, action, note, alerts, alertCount } of entries) {
    const named = alerts.slice(0, namedAlerts).map(({ alertId, kind }) => `${alertId} ${kind}`);
    const more = Number(alertCount) - named.length;
    const about = [...named, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
    terminal.line(
      `  ${shortTime(at)}  ${by}: ${action} ${about === '' ? '(no alert)' : about}${note === null ? '' : `: ${note}`}`,
    );
  }
}

/** How a payment in doubt ended, as operators recorded it (LIF-4). */
export function printOutcome(terminal: Terminal, one: ShownOutcome): void {
  const said = [one.status, one.reasonCode].filter((part) => part !== null).join(' ');
  const became =
    one.confirmedBy !== null
      ? `confirmed by ${one.confirmedBy}, ${shortTime(one.confirmedAt)}`
      : one.withdrawnBy !== null
        ? `withdrawn by ${one.withdrawnBy}, ${shortTime(one.withdrawnAt)}: ${one.withdrawnBecause ?? ''}`
        : 'to be confirmed by somebody else';
  terminal.line(
    `  ${shortTime(one.recordedAt)}  ${one.recordedBy}: ${said}: ${one.evidence}  (${became}; outcome ${one.outcomeId})`,
  );
}

/** A pause that stands, or is over (LIF-5). */
export function pauseInWords(pause: ShownPause): string {
  const { party, by, at, because, resumedBy, resumedAt, resumedBecause } = pause;
  if (resumedBy === null) return `${party} is paused since ${shortTime(at)} by ${by}: ${because}`;
  const end = `until ${shortTime(resumedAt)} by ${resumedBy}: ${resumedBecause ?? ''}`;
  return `${party} was paused ${shortTime(at)} by ${by}: ${because}; ${end}`;
}

/** What is shown beside the record of a payment. */
export interface Beside {
  /** As it stands in a list; undefined while it is not judged. */
  readonly listed: ShownPayment | undefined;
  /** The pause for which it was refused (LIF-5). */
  readonly paused: readonly ShownPause[];
}

export function printEvidence(terminal: Terminal, shown: ShownEvidence, { listed, paused }: Beside): void {
  const { uetr, status, decision, waitsFor } = shown;
  const heading = (text: string) => {
    terminal.line();
    terminal.line(terminal.paint('heading', text));
  };
  terminal.line(
    `${terminal.paint('heading', uetr)}  ${terminal.paint(statusStyles[status] ?? 'name', status)}  ` +
      `${shown.sourceClearingSystem} → ${shown.destinationClearingSystem ?? '-'}  ${shown.priority ?? ''}`,
  );
  if (decision !== null) {
    const reason = [decision.reasonCode, decision.ruleId].filter((part) => part !== null).join(', ');
    const why = reason === '' ? '' : ` (${reason})`;
    terminal.line(`${decision.status}${why} by ${decision.decidedBy} at ${shortTime(decision.decidedAt)}`);
  }
  for (const one of paused) terminal.line(pauseInWords(one));
  for (const line of needsPerson(shown, listed)) terminal.line(terminal.paint('warning', `! ${line}`));
  if (listed !== undefined) terminal.line(termsOf(listed));
  terminal.line(hasItLeft(shown));
  if (waitsFor !== null) terminal.line(`waits for: ${nextInWords(waitsFor)}`);
  if (shown.hindrances !== null) printHindrances(terminal, shown.hindrances);
  if (shown.outcomes.length > 0) heading('How it ended, as operators recorded');
  for (const one of shown.outcomes) printOutcome(terminal, one);
  heading('Messages');
  for (const one of shown.messages) {
    const arrow = arrowOf(one);
    const said = [one.status, one.reasonCode].filter((part) => part !== null).join(' ');
    terminal.line(
      `  ${shortTime(one.at)}  ${arrow.padEnd(20)}  ${one.message}  ${said.padEnd(9)}  ${one.messageIdentification}`,
    );
  }
  const leftOut = (text: string) => terminal.line(terminal.paint('warning', text));
  for (const { direction, party, message, status, number } of shown.messagesLeftOut) {
    const said = [message, arrowOf({ direction, party }), status].filter((part) => part !== null).join(' ');
    leftOut(`  ${leftOutInWords(said, number)}`);
  }
  heading('Deliveries');
  for (const one of shown.deliveries) printDelivery(terminal, one);
  if (shown.refusedMessages.length > 0) heading('Received, and does not count');
  for (const one of shown.refusedMessages) {
    terminal.line(`  ${shortTime(one.at)}  ${one.party}  ${whyRefused(one)}`);
    terminal.line(`    ${one.size} bytes: ops message ${uetr} ${one.messageId}`);
  }
  if (shown.events.length > 0) heading('Events');
  for (const { at, severity, kind, party, detail } of shown.events) {
    const style: Style = severity === 'info' ? 'muted' : 'warning';
    const told = Object.entries(detail)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${name} ${String(value)}`);
    terminal.line(terminal.paint(style, `  ${shortTime(at)}  ${[kind, party ?? '', ...told].join('  ')}`));
  }
  for (const { kind, severity, number } of shown.eventsLeftOut) {
    const where =
      severity === 'info' ? '' : `: ops alerts --subject-id ${uetr} --kind ${kind} --state open,taken,closed`;
    leftOut(`  ${leftOutInWords(kind, number)}${where}`);
  }
  if (shown.entries.length > 0) heading('What was done');
  printEntries(terminal, shown.entries);
}

/** What somebody must look at, however far down in the record it stands. */
function needsPerson({ uetr, deliveries }: ShownEvidence, listed: ShownPayment | undefined): string[] {
  const dead = deliveries.filter(isGivenUp).map(({ kind, party }) => `${kind} to ${party}`);
  return [
    ...(listed?.isContradicted === true
      ? ['Its destination has reported another final status since: payment.contradiction, below (PAY-7)']
      : []),
    ...(dead.length === 0 ? [] : [`Given up: ${dead.join(', ')}; ops redeliver ${uetr} sends it again`]),
  ];
}

function whyRefused({ refusedAs, fault }: ShownEvidence['refusedMessages'][number]): string {
  const told = Object.entries(fault ?? {}).map(([name, value]) => `${name} ${value ?? 'no code'}`);
  return [refusedAs ?? 'kept by a release that did not say why', ...told].join('  ');
}

const arrowOf = ({ direction, party }: { readonly direction: string; readonly party: string }) =>
  direction === 'in' ? `${party} → us` : `us → ${party}`;

const leftOutInWords = (what: string, number: string) =>
  `… ${number} more ${what}, between the first and the newest, are left out`;

/** A payment in doubt ends by what two people find out, at no time that is known (LIF-4). */
const nextInWords = (waitsFor: NonNullable<ShownEvidence['waitsFor']>) =>
  waitsFor.what === 'person' ? 'two operators (settle)' : `${waitsFor.what}, ${dueTime(waitsFor)}`;

/** An enquiry of the past was asked for then, and has not gone out. */
function dueTime({ what, at }: NonNullable<ShownEvidence['waitsFor']>): string {
  const isOverdue = what === 'enquiry' && at !== null && Date.parse(at) <= Date.now();
  return isOverdue ? `due since ${shortTime(at)}` : shortTime(at);
}

/** Whose payment it is, for somebody who calls about it. */
function termsOf(one: ShownPayment): string {
  const parts = [
    `${amountOf(one.sourceAmount)} → ${amountOf(one.destinationAmount)}`,
    `from ${one.debtorAgent ?? '-'} to ${one.creditorAgent ?? '-'}`,
    ...(one.fxp === null ? [] : [`FX provider ${one.fxp}`]),
    ...(one.endToEndId === null ? [] : [`EndToEndId ${one.endToEndId}`]),
  ];
  return parts.join('   ');
}

/** The question that a caller asks first, in words; by the attempts to send its instruction (TIM-3). */
function hasItLeft({ deliveries, status, priority }: ShownEvidence): string {
  const instruction = deliveries.find(({ kind }) => kind === 'instruction');
  const { attempts = [], attemptsLeftOut = [] } = instruction ?? {};
  const isOpen = ['ACTC', 'INDOUBT'].includes(status);
  if (attempts.length === 0) {
    return isOpen || status === 'RCVD'
      ? 'Nothing has left for its destination yet; it still may.'
      : 'Nothing ever left for its destination.';
  }
  const numberOf = (is: (outcome: string | null) => boolean) =>
    attempts.filter(({ outcome }) => is(outcome)).length +
    attemptsLeftOut.reduce((sum, { outcome, number }) => sum + (is(outcome) ? Number(number) : 0), 0);
  const all = numberOf(() => true);
  const answered = numberOf((outcome) => outcome === 'ANSWERED');
  const maybe = numberOf((outcome) => outcome !== 'ANSWERED' && outcome !== 'NOT_SENT');
  const tries = all === 1 ? '1 attempt' : `${all} attempts`;
  if (answered > 0) return `It has left: ${tries}, ${answered} answered.`;
  if (maybe > 0) return `It may have left: ${tries}, none answered; its destination may have read it.`;
  const end = isOpen && priority === 'NORM' ? '; if none has left 60 s after acceptance: RJCT ED06' : '';
  return `Nothing has left for its destination: ${tries}, each failed before the first byte${end}.`;
}

const isGivenUp = ({ kind, deliveredAt, closedAt }: ShownDelivery) =>
  closedAt !== null && deliveredAt === null && kind !== 'instruction';

function printDelivery(terminal: Terminal, delivery: ShownDelivery): void {
  const { kind, party, deliveredAt, closedAt, closedReason, nextDueAt, attempts, attemptsLeftOut } = delivery;
  const how =
    deliveredAt !== null
      ? `taken ${shortTime(deliveredAt)}`
      : closedAt !== null
        ? `closed ${shortTime(closedAt)} (${closedReason ?? ''})`
        : `next ${shortTime(nextDueAt)}`;
  const line = `  ${kind.padEnd(13)} ${party}: ${how}`;
  terminal.line(isGivenUp(delivery) ? terminal.paint('bad', line) : line);
  for (const one of attempts) {
    const counts = one.errorClass === null ? '' : ` (${one.errorClass})`;
    const came =
      one.httpStatus === null ? (one.errorClass ?? 'under way') : `HTTP ${one.httpStatus}${counts}`;
    const took = one.durationMs === null ? '' : ` after ${one.durationMs} ms`;
    terminal.line(
      terminal.paint(
        'muted',
        `    ${one.attempt.padStart(2)}  ${shortTime(one.startedAt)}  ${one.outcome ?? 'open'} ${came}${took}  ${one.url ?? ''}`,
      ),
    );
    if (one.responseExcerpt !== null && one.responseExcerpt !== '') {
      terminal.line(terminal.paint('muted', `        "${one.responseExcerpt}"`));
    }
  }
  for (const { outcome, number } of attemptsLeftOut)
    terminal.line(terminal.paint('warning', `     ${leftOutInWords(outcome ?? 'open', number)}`));
}
