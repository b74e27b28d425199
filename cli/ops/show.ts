// How `isthmus ops` shows payments, alerts and what was done, to a person: tables of one line each, or one payment in
// full. Times are UTC, to the second, as in the record.
import { renderTable, showAmount, type Column, type Style, type Terminal } from '../terminal.ts';
import type {
  ShownAlert,
  ShownDelivery,
  ShownEntry,
  ShownEvidence,
  ShownParties,
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
  ]);
  printTable(terminal, paymentColumns, rows, (index) => statusStyles[payments[index]?.status ?? '']);
}

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
  { title: 'sent', align: 'right' },
  { title: 'taken', align: 'right' },
  { title: 'p95 ms', align: 'right' },
  { title: 'last taken (UTC)' },
  { title: 'open', align: 'right' },
  { title: 'dead', align: 'right' },
  { title: 'failures' },
];

/** Who is down, and whom nobody could tell. */
export function printParties(terminal: Terminal, { minutes, parties, receivers }: ShownParties): void {
  terminal.line(
    terminal.paint('muted', `Attempts of the last ${minutes} minutes; open and dead: of all time`),
  );
  const kinds = parties.flatMap(({ party, kinds: own }) => own.map((one) => ({ party, ...one })));
  const rows = kinds.map((one) => [
    one.party,
    one.kind,
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
  printTable(terminal, partyColumns, rows, (index) => {
    const { attempts = '0', taken = '0', dead = '0' } = kinds[index] ?? {};
    if (attempts !== '0' && taken === '0') return 'bad';
    return attempts !== taken || dead !== '0' ? 'warning' : undefined;
  });
  for (const { party, waiting, oldestWaitingSince } of parties.filter((one) => one.waiting !== '0')) {
    terminal.line(
      `${party}: ${waiting} payments wait for its final status, the oldest since ${shortTime(oldestWaitingSince)}`,
    );
  }
  for (const { receiver, open, probing, closed, failuresInARow } of receivers) {
    if (open === '0' && probing === '0') continue;
    const workers = Number(open) + Number(probing) + Number(closed);
    const line = `${receiver}: breaker open in ${Number(open) + Number(probing)} of ${workers} workers, ${failuresInARow} failures in a row`;
    terminal.line(terminal.paint('bad', line));
  }
}

const alertColumns: readonly Column[] = [
  { title: 'id', align: 'right' },
  { title: 'when (UTC)' },
  { title: 'kind' },
  { title: 'state' },
  { title: 'party' },
  { title: 'about' },
];

export function printAlerts(terminal: Terminal, alerts: readonly ShownAlert[]): void {
  const rows = alerts.map((one) => [
    one.alertId,
    shortTime(one.at),
    one.kind,
    one.takenBy === null ? one.state : `${one.state} by ${one.takenBy}`,
    one.party ?? '-',
    one.subjectId ?? '-',
  ]);
  printTable(terminal, alertColumns, rows, (index) =>
    alerts[index]?.state === 'open' ? 'warning' : undefined,
  );
}

export function printAlert(terminal: Terminal, alert: ShownAlert, entries: readonly ShownEntry[]): void {
  printAlerts(terminal, [alert]);
  for (const [name, value] of Object.entries(alert.detail)) terminal.line(`  ${name}: ${String(value)}`);
  printEntries(terminal, entries);
}

export function printEntries(terminal: Terminal, entries: readonly ShownEntry[]): void {
  for (const { at, by, action, note, alertId } of entries) {
    const about = alertId === null ? '' : ` alert ${alertId}`;
    terminal.line(`  ${shortTime(at)}  ${by}: ${action}${about}${note === null ? '' : `: ${note}`}`);
  }
}

export function printEvidence(terminal: Terminal, shown: ShownEvidence): void {
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
  if (waitsFor !== null) terminal.line(`waits for: ${waitsFor.what}, ${shortTime(waitsFor.at)}`);
  heading('Messages');
  for (const one of shown.messages) {
    const arrow = one.direction === 'in' ? `${one.party} → us` : `us → ${one.party}`;
    const said = [one.status, one.reasonCode].filter((part) => part !== null).join(' ');
    terminal.line(
      `  ${shortTime(one.at)}  ${arrow.padEnd(20)}  ${one.message}  ${said.padEnd(9)}  ${one.messageIdentification}`,
    );
  }
  heading('Deliveries');
  for (const one of shown.deliveries) printDelivery(terminal, one);
  if (shown.refusedMessages.length > 0) heading('Received, and does not count');
  for (const { at, party, size, href } of shown.refusedMessages) {
    terminal.line(`  ${shortTime(at)}  ${party}  ${size} bytes  ${href}`);
  }
  if (shown.events.length > 0) heading('Events');
  for (const { at, severity, kind, party, detail } of shown.events) {
    const style: Style = severity === 'info' ? 'muted' : 'warning';
    const told = Object.entries(detail).map(([name, value]) => `${name} ${String(value)}`);
    terminal.line(terminal.paint(style, `  ${shortTime(at)}  ${[kind, party ?? '', ...told].join('  ')}`));
  }
  if (shown.entries.length > 0) heading('What was done');
  printEntries(terminal, shown.entries);
}

function printDelivery(terminal: Terminal, delivery: ShownDelivery): void {
  const { kind, party, deliveredAt, closedAt, closedReason, nextDueAt, attempts } = delivery;
  const isDead = closedAt !== null && deliveredAt === null && kind !== 'instruction';
  const how =
    deliveredAt !== null
      ? `taken ${shortTime(deliveredAt)}`
      : closedAt !== null
        ? `closed ${shortTime(closedAt)} (${closedReason ?? ''})`
        : `next ${shortTime(nextDueAt)}`;
  const line = `  ${kind.padEnd(13)} ${party}: ${how}`;
  terminal.line(isDead ? terminal.paint('bad', line) : line);
  for (const one of attempts) {
    const came = one.httpStatus === null ? (one.errorClass ?? 'under way') : `HTTP ${one.httpStatus}`;
    const took = one.durationMs === null ? '' : ` after ${one.durationMs} ms`;
    terminal.line(
      terminal.paint(
        'muted',
        `    ${one.attempt.padStart(2)}  ${shortTime(one.startedAt)}  ${one.outcome ?? 'open'} ${came}${took}  ${one.url ?? ''}`,
      ),
    );
    if (one.responseExcerpt !== null && one.responseExcerpt !== '') {
      terminal.line(terminal.paint('muted', `        ${JSON.stringify(one.responseExcerpt)}`));
    }
  }
}
