// Prints payments, alerts and entries for `isthmus ops` as tables with one line per item. Times are UTC,
// without fractions of a second.
import { reasonInWords, statusInWords } from '../../core/rejections/reason-words.ts';
import { renderTable, showAmount, statusStyles, type Style, type Terminal } from '../terminal.ts';
import type {
  ShownAlert,
  ShownEntry,
  ShownOutcome,
  ShownPause,
  ShownPayment,
  ShownSubmission,
} from './answers.ts';

/** Formats an ISO 8601 time as `2026-01-05 04:00:00`. */
export function shortTime(at: string | null): string {
  return at === null ? '-' : at.slice(0, 19).replace('T', ' ');
}

export const amountOf = (money: ShownPayment['sourceAmount']) =>
  money === null ? '-' : `${showAmount(money.amount)} ${money.currency}`;

const paymentColumns = [
  'judged (UTC)',
  'UETR',
  'status',
  'state',
  'from to',
  'prio',
  'sent',
  'arrives',
  'by',
];

export function printPayments(terminal: Terminal, payments: readonly ShownPayment[]): void {
  const rows = payments.map((one) => [
    shortTime(one.judgedAt),
    one.uetr,
    statusInWords(one.status, one.reasonCode),
    one.state,
    one.corridor ?? `${one.sourceClearingSystem} -`,
    one.priority ?? '-',
    amountOf(one.sourceAmount),
    amountOf(one.creditorAccountAmount),
    decidedBy(one),
  ]);
  printTable(terminal, paymentColumns, rows, (index) => statusStyles[payments[index]?.status ?? '']);
}

/**
 * Names the party that decided the payment, and says whether the destination later contradicted that
 * decision.
 */
const decidedBy = (one: ShownPayment) =>
  one.isContradicted ? `${one.decidedBy ?? '-'}, contradicted` : (one.decidedBy ?? '-');

const submissionColumns = [
  'stored (UTC)',
  'message',
  'from',
  'MsgId',
  'state',
  'answer',
  'answered (UTC)',
  'UETR or id',
];

export function printSubmissions(terminal: Terminal, submissions: readonly ShownSubmission[]): void {
  const rows = submissions.map((one) => [
    shortTime(one.storedAt),
    one.message,
    one.party,
    one.messageIdentification,
    one.isUnanswerable ? `${one.state}, unanswerable` : one.state,
    statusInWords(one.status ?? one.verified?.toString(), one.reasonCode) || '-',
    shortTime(one.answeredAt),
    one.subjectId,
  ]);
  printTable(terminal, submissionColumns, rows, (index) =>
    submissions[index]?.state === 'answered' ? undefined : 'warning',
  );
}

/** Prints a table with a heading line. */
export function printTable(
  terminal: Terminal,
  columns: readonly string[],
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

const alertColumns = ['id', 'when (UTC)', 'severity', 'kind', 'of', 'state', 'party', 'about'];

export function printAlerts(terminal: Terminal, alerts: readonly ShownAlert[]): void {
  const rows = alerts.map((one) => [
    one.alertId,
    shortTime(one.at),
    one.severity,
    one.kind,
    whatOf(one),
    [one.state, one.takenBy ?? one.closedBy].filter(Boolean).join(' by '),
    one.party ?? '-',
    one.subjectId ?? '-',
  ]);
  printTable(terminal, alertColumns, rows, (index) =>
    alerts[index]?.state === 'open' ? 'warning' : undefined,
  );
}

/**
 * Describes an alert by the statuses in its detail, such as `confirmation RJCT AB03` or `decided RJCT,
 * reported ACCC`.
 */
function whatOf({ detail }: ShownAlert): string {
  const { decided, reported } = detail;
  const reasonCode = detail['reasonCode'];
  const reason = typeof reasonCode === 'string' ? reasonInWords(reasonCode) : undefined;
  const codes = [detail['kind'], detail['status'], reason].filter((one) => typeof one === 'string');
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

const namedAlerts = 10; // maximum number of alerts named per entry, because one entry can be about thousands

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

/** Prints the outcome that an operator recorded for a payment in doubt. */
export function printOutcome(terminal: Terminal, one: ShownOutcome): void {
  const said = statusInWords(one.status, one.reasonCode);
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

/** Describes a current or past pause of a party. */
export function pauseInWords(pause: ShownPause): string {
  const { party, by, at, because, resumedBy, resumedAt, resumedBecause } = pause;
  if (resumedBy === null) return `${party} is paused since ${shortTime(at)} by ${by}: ${because}`;
  const end = `until ${shortTime(resumedAt)} by ${resumedBy}: ${resumedBecause ?? ''}`;
  return `${party} was paused ${shortTime(at)} by ${by}: ${because}; ${end}`;
}
