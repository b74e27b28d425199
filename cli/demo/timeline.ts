// Prints the timeline of a payment with one line per message: time, sender and receiver, message, status. The
// lines come from the journals of the parties, not from the gateway.
import { reasonInWords } from '../../core/rejections/reason-words.ts';
import type { JournalEntry } from '../../sandbox/journal-file.ts';
import type { MessageValues } from './message-values.ts';
import { showAmount, statusStyles, wrap, type Terminal } from '../terminal.ts';

export interface TimelineLine {
  /** Milliseconds since the pacs.008 was submitted. */
  readonly elapsedMs: number;
  /** Sender and receiver, or one party if no message was sent. */
  readonly parties: string;
  /** Name of the message, such as `pacs.008`, or of an event without a message. */
  readonly message: string;
  readonly status?: string;
  readonly detail: string;
  /** The rule that the gateway broke, according to the party. */
  readonly violation?: string;
}

const gatewayName = 'Isthmus';

export const gatewayReceives = (from: string) => `${from} → ${gatewayName}`;
export const gatewaySends = (to: string) => `${gatewayName} → ${to}`;

function partiesOf(direction: JournalEntry['direction'], party: string): string {
  switch (direction) {
    case 'received':
      return gatewaySends(party);
    case 'sent':
      return gatewayReceives(party);
    case 'booked':
      return party;
  }
}

/** Formats a message name: `pacs008` becomes `pacs.008`. `ledger` stays unchanged. */
const nameOf = (kind: JournalEntry['kind']) => kind.replace(/(?=\d{3}$)/, '.');

/** Converts a journal entry into a line of the timeline. */
export function lineOf(entry: JournalEntry, startedAt: number, values: MessageValues): TimelineLine {
  const party = entry.party.slice(entry.party.indexOf('/') + 1);
  const status = entry.kind === 'ledger' ? undefined : entry.status;
  return {
    elapsedMs: Date.parse(entry.sentAt ?? entry.at) - startedAt,
    parties: partiesOf(entry.direction, party),
    message: nameOf(entry.kind),
    ...(status === undefined ? {} : { status }),
    detail: detailOf(entry, values),
    ...(entry.violation === undefined ? {} : { violation: entry.violation }),
  };
}

/** The note of a party in its journal if it received a message as the HTTP answer to its own message. */
const inHttpAnswer = 'in the HTTP answer';

function detailOf(entry: JournalEntry, values: MessageValues): string {
  const { kind, direction, party, bytes = new Uint8Array() } = entry;
  const said = [
    entry.reasonCode && reasonInWords(entry.reasonCode),
    contentOf(),
    entry.note && (reasons[entry.note] ?? entry.note),
    answerOf(),
  ];
  return said.filter((part) => part !== undefined && part !== '').join('; ');

  function contentOf(): string | undefined {
    if (entry.violation !== undefined) return undefined; // after a violation, the message may be unreadable
    if (kind === 'ledger') return bookingOf(entry);
    if (kind === 'pacs008' && direction === 'received') return forwardedTerms(bytes, values);
    if (kind === 'fxtr017') return tradeTerms(bytes, values);
    if (kind !== 'pacs002') return undefined;
    if (direction === 'sent') return undefined;
    return party.startsWith('source/') ? 'callback: the final status' : 'confirmation of the decision';
  }

  function answerOf(): string | undefined {
    if (entry.httpStatus === undefined || entry.note === inHttpAnswer) return undefined;
    return `answered HTTP ${entry.httpStatus}`;
  }
}

/** Explains why an answer is missing, by the error code of Node or its HTTP client. */
const reasons: Readonly<Partial<Record<string, string>>> = {
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'no answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'no answer in time',
  ECONNREFUSED: 'no connection',
  ECONNRESET: 'the connection broke',
  EPIPE: 'the connection broke',
  UND_ERR_SOCKET: 'the connection broke',
};

function bookingOf(entry: JournalEntry): string {
  const { amount = '', currency = '', creditedAmount = '', status } = entry;
  return status === 'reversed'
    ? `returns ${showAmount(amount)} ${currency}`
    : `moves ${showAmount(amount)} ${currency}, credits ${showAmount(creditedAmount)} ${currency}`;
}

function forwardedTerms(bytes: Uint8Array, values: MessageValues): string {
  const { interbankSettlementAmount: settlement, charges, agreedRate } = values.forwardedPacs008(bytes);
  const fee = charges[1];
  return (
    `${showAmount(settlement.amount)} ${settlement.currency} at ${showAmount(agreedRate.preAgreedExchangeRate)}, ` +
    `creditor agent fee ${showAmount(fee.amount)} ${fee.currency}`
  );
}

/**
 * Describes the trade in an fxtr.017 from the side of the FX provider. The message itself states the trade
 * from the side of the source PSP.
 */
function tradeTerms(bytes: Uint8Array, values: MessageValues): string {
  const trade = values.fxtr017(bytes);
  const { sourcePsp, tradingSideBuyAmount: buy, tradingSideSellAmount: sell } = trade;
  return (
    `${sourcePsp.bicfi ?? 'the source PSP'} sells ${showAmount(sell.amount)} ${sell.currency} ` +
    `for ${showAmount(buy.amount)} ${buy.currency} at ${showAmount(trade.exchangeRate)}`
  );
}

const columns = { elapsed: 10, parties: 22, message: 8, status: 6 } as const;
const detailIndent = columns.elapsed + columns.parties + columns.message + columns.status + 6;

/** Prints a line. On a narrow terminal, the detail follows on the next line. */
export function printLine(terminal: Terminal, line: TimelineLine): void {
  const head = [
    terminal.paint('muted', `+${line.elapsedMs} ms`.padStart(columns.elapsed)),
    line.parties.padEnd(columns.parties),
    terminal.paint('name', line.message.padEnd(columns.message)),
    terminal.paint(statusStyles[line.status ?? ''] ?? 'heading', (line.status ?? '').padEnd(columns.status)),
  ].join('  ');
  const room = terminal.width - detailIndent;
  const indent = ' '.repeat(room >= 40 ? detailIndent : columns.elapsed + 2);
  const details = line.detail === '' ? [] : wrap(line.detail, terminal.width - indent.length);
  const [first = '', ...rest] = room >= 40 ? details : ['', ...details];
  terminal.line(`${head}${first}`.trimEnd());
  for (const detail of rest) terminal.line(`${indent}${detail}`);
  if (line.violation !== undefined) terminal.line(`${indent}${terminal.paint('bad', `✗ ${line.violation}`)}`);
}
