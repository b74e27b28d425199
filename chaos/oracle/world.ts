// Joins the evidence of a run: links each payment to its messages, deliveries, attempts, events and journal
// entries. The checks in oracle/checks judge the result.
import type { Exchange } from './evidence.ts';
import { createHash } from 'node:crypto';
import type { Evidence, JournalEntry } from './read-evidence.ts';
import { readMessage, textAt, type Element, type Message } from './read-message.ts';
import { machineOf, type Machine } from './machine.ts';
import { quietOf, type Quiet } from './quiet.ts';
import { openReference, receiverOf, type Reference } from './reference.ts';
import {
  instant,
  rowsOf,
  type AttemptRow,
  type AuditRow,
  type DecisionRow,
  type DeliveryRow,
  type MessageRow,
  type PaymentRow,
  type QuoteRequestRow,
} from './rows.ts';

/** The final statuses of a payment (PAY-7). */
export const finals: readonly string[] = ['ACCC', 'RJCT', 'BLCK'];

/** A row of the table `messages`, with the decoded bytes of the message. */
export interface Stored {
  readonly row: MessageRow;
  readonly text: string;
  /** Hash of the bytes. The oracle computes it and does not trust the database. */
  readonly sha256: string;
  readonly createdAt: number;
  /** The parsed message; undefined if the bytes cannot be parsed. */
  readonly message: Message | undefined;
}

export interface Attempt {
  readonly row: AttemptRow;
  readonly startedAt: number;
  readonly finishedAt: number | undefined;
  readonly httpStatus: number | undefined;
}

/** Any 2xx acknowledges a message (CBK-4). */
export const isTaken = ({ httpStatus = 0 }: Attempt) => httpStatus >= 200 && httpStatus < 300;

export interface Delivery {
  readonly row: DeliveryRow;
  readonly stored: Stored | undefined;
  /** Sorted by attempt number. */
  readonly attempts: readonly Attempt[];
  /** Journal entries in which the receiving party recorded these bytes, accepted or refused, oldest first. */
  readonly arrivals: readonly Arrival[];
  readonly nextDueAt: number;
  readonly deliveredAt: number | undefined;
  readonly closedAt: number | undefined;
}

/** The arrival of a message from the gateway at a party. */
export interface Arrival {
  readonly entry: JournalEntry;
  readonly at: number;
}

export interface Payment {
  readonly row: PaymentRow;
  readonly uetr: string;
  /** When the gateway accepted or rejected the payment, in milliseconds since 1970. */
  readonly judgedAt: number;
  /** The message that created the payment. */
  readonly submission: Stored | undefined;
  /** The root element `FIToFICstmrCdtTrf`, as the source sent it. */
  readonly original: Element | undefined;
  /** `AccptncDtTm` of the original, in milliseconds since 1970. */
  readonly acceptedAt: number | undefined;
  readonly forwarded: Stored | undefined;
  /** All decision rows of the payment. More than one row is a breach. */
  readonly decisions: readonly DecisionRow[];
  readonly decision: DecisionRow | undefined;
  readonly decidedAt: number | undefined;
  /** Keyed by delivery kind. */
  readonly deliveries: Readonly<Record<string, Delivery>>;
  readonly events: readonly AuditRow[];
  /** The entries about the payment in the journals of all parties, oldest first. */
  readonly journal: readonly JournalEntry[];
  /** The pacs.002 messages that the destination sent and the gateway stored, oldest first. */
  readonly reports: readonly Stored[];
  /**
   * The time by which a HIGH payment must be final (TIM-1), computed from the original and the scheme's data.
   * Undefined for a NORM payment.
   */
  readonly deadlineAt: number | undefined;
}

export interface World {
  readonly evidence: Evidence;
  readonly quiet: Quiet;
  readonly machine: Machine;
  readonly reference: Reference;
  readonly payments: readonly Payment[];
  readonly paymentOf: ReadonlyMap<string, Payment>;
  readonly messages: readonly Stored[];
  readonly messageOf: ReadonlyMap<string, Stored>;
  /** Keyed by hash (`sha256`) of the bytes. */
  readonly messagesBySha: ReadonlyMap<string, readonly Stored[]>;
  readonly deliveries: readonly Delivery[];
  /** Keyed by receiver. The keys are the party names that the faults use. */
  readonly attemptsTo: ReadonlyMap<string, readonly Attempt[]>;
  readonly quotes: ReadonlyMap<string, Quote>;
  readonly quoteRequests: readonly QuoteRequestRow[];
  readonly events: readonly AuditRow[];
  /** Returns the pauses of a clearing system or an FX provider, by its id (LIF-5). */
  readonly pausesOf: (party: string | null | undefined) => readonly Pause[];
  /** Every POST of a pacs.008, oldest first. */
  readonly submissions: readonly Submission[];
  /**
   * UETRs of the payments for which a party other than the sandbox reported a final status. The sandbox's
   * ledger proves nothing about these payments.
   */
  readonly reportedByOthers: ReadonlySet<string>;
}

/** The time span during which an operator paused a party; `to` is Infinity while the pause lasts. */
export interface Pause {
  readonly from: number;
  readonly to: number;
}

/** One of the quotes that answered a stored quote request. */
export interface Quote {
  readonly quoteId: string;
  readonly request: QuoteRequestRow;
  /** The quote's index in the array columns of the request, from 0. */
  readonly index: number;
  readonly issuedAt: number;
}

/** An HTTP POST of a pacs.008 or acmt.023, as its sender recorded it. */
export interface Submission {
  readonly exchange: Exchange;
  readonly sentAt: number;
  readonly endedAt: number;
  readonly sha256: string;
  /** The parsed answer; undefined if the answer was not a message. */
  readonly answer: Message | undefined;
  /** The callback address in the query string of the POST. */
  readonly callbackUrl: string | undefined;
}

export function sha256Of(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Drops evidence that is newer than the copy of the database, because the copy cannot contain its effects. It
 * drops newer journal entries, and shows executions that ended later as still running.
 */
function untilGathered(gathered: Evidence): Evidence {
  const endAt = instant(gathered.run.gatheredAt);
  return {
    ...gathered,
    journal: gathered.journal.filter(({ at }) => instant(at) <= endAt),
    executions: gathered.executions.map((one) =>
      one.closedAt !== undefined && instant(one.closedAt) > endAt ? { ...one, status: 'RUNNING' } : one,
    ),
  };
}

export function openWorld(gathered: Evidence): World {
  const evidence = untilGathered(gathered);
  const { tables } = evidence;
  const messages = rowsOf(tables, 'messages').map(toStored);
  const messageOf = new Map(messages.map((one) => [one.row.message_id, one]));
  const messagesBySha = grouped(messages, (one) => one.sha256);
  const deliveries = deliveriesOf(evidence, messageOf);
  const reference = openReference(tables);
  const quoteRequests = rowsOf(tables, 'quote_requests');
  const events = rowsOf(tables, 'audit_events');
  const pauses = grouped(rowsOf(tables, 'pauses'), (row) => row.party_id);
  const payments = paymentsOf(evidence, { messages, messageOf, deliveries, reference, events });
  return {
    evidence,
    quiet: quietOf(evidence),
    machine: machineOf(evidence),
    reference,
    payments,
    paymentOf: new Map(payments.map((one) => [one.uetr, one])),
    messages,
    messageOf,
    messagesBySha,
    deliveries,
    attemptsTo: attemptsTo(reference, deliveries),
    quotes: new Map(quoteRequests.flatMap(quotesOf).map((quote) => [quote.quoteId, quote])),
    quoteRequests,
    events,
    pausesOf: (party) =>
      (pauses.get(party ?? '') ?? []).map((row) => ({
        from: instant(row.paused_at),
        to: instant(row.resumed_at) ?? Infinity,
      })),
    submissions: evidence.exchanges.filter((one) => isPost(one, '/iso20022/pacs008')).map(toSubmission),
    reportedByOthers: reportedByOthers(evidence),
  };
}

export function grouped<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

function attemptsTo(
  reference: Reference,
  deliveries: readonly Delivery[],
): ReadonlyMap<string, readonly Attempt[]> {
  const byReceiver = grouped(deliveries, ({ row }) => receiverOf(reference, row));
  return new Map([...byReceiver].map(([receiver, own]) => [receiver, own.flatMap((one) => one.attempts)]));
}

function toStored(row: MessageRow): Stored {
  const bytes = Buffer.from(row.body.replace(/^\\x/, ''), 'hex');
  const text = bytes.toString('utf8');
  return {
    row,
    text,
    sha256: sha256Of(bytes),
    createdAt: instant(row.created_at),
    message: readMessage(text),
  };
}

/**
 * Whether a journal entry records that a message from the gateway arrived, even if the party refused the
 * message.
 */
export function isArrival(entry: JournalEntry): boolean {
  return entry.direction === 'received' && entry.note !== 'in the HTTP answer' && entry.sha256 !== undefined;
}

function deliveriesOf(evidence: Evidence, messageOf: ReadonlyMap<string, Stored>): readonly Delivery[] {
  const attempts = grouped(rowsOf(evidence.tables, 'delivery_attempts'), (row) => row.delivery_id);
  const arrivals = grouped(evidence.journal.filter(isArrival), (entry) => entry.sha256 ?? '');
  return rowsOf(evidence.tables, 'deliveries').map((row) => {
    const stored = messageOf.get(row.message_id);
    return {
      row,
      stored,
      attempts: (attempts.get(row.delivery_id) ?? [])
        .map((one) => ({
          row: one,
          startedAt: instant(one.started_at),
          finishedAt: instant(one.finished_at),
          httpStatus: one.http_status === null ? undefined : Number(one.http_status),
        }))
        .sort((one, other) => Number(one.row.attempt) - Number(other.row.attempt)),
      arrivals: (arrivals.get(stored?.sha256 ?? '') ?? []).map((entry) => ({ entry, at: instant(entry.at) })),
      nextDueAt: instant(row.next_due_at),
      deliveredAt: instant(row.delivered_at),
      closedAt: instant(row.closed_at),
    };
  });
}

interface Parts {
  readonly messages: readonly Stored[];
  readonly messageOf: ReadonlyMap<string, Stored>;
  readonly deliveries: readonly Delivery[];
  readonly reference: Reference;
  readonly events: readonly AuditRow[];
}

function paymentsOf(evidence: Evidence, parts: Parts): readonly Payment[] {
  const { messageOf, reference } = parts;
  const decisions = grouped(rowsOf(evidence.tables, 'decisions'), (row) => row.uetr);
  const deliveries = grouped(parts.deliveries, ({ row }) => row.subject_id);
  const events = grouped(parts.events, (row) => row.subject_id ?? '');
  const journal = grouped(evidence.journal, (entry) => entry.uetr ?? '');
  const reports = grouped(
    parts.messages.filter(({ row }) => row.direction === 'in' && row.leg === 'destination'),
    ({ row }) => row.subject_id ?? '',
  );
  return rowsOf(evidence.tables, 'payments').map((row): Payment => {
    const { uetr } = row;
    const submission = messageOf.get(row.message_id);
    const original = submission?.message?.root;
    const own = decisions.get(uetr) ?? [];
    const acceptedAt = acceptanceOf(original);
    const system = reference.systems.get(row.destination_clearing_system ?? '');
    const isHigh = row.accepted && priorityOf(original) === 'HIGH';
    return {
      row,
      uetr,
      judgedAt: instant(row.judged_at),
      submission,
      original,
      acceptedAt,
      forwarded: messageOf.get(row.forwarded_message_id ?? ''),
      decisions: own,
      decision: own[0],
      decidedAt: instant(own[0]?.decided_at),
      deliveries: Object.fromEntries((deliveries.get(uetr) ?? []).map((one) => [one.row.kind, one])),
      events: events.get(uetr) ?? [],
      journal: journal.get(uetr) ?? [],
      reports: [...(reports.get(uetr) ?? [])].sort((one, other) => one.createdAt - other.createdAt),
      deadlineAt:
        isHigh && acceptedAt !== undefined && system !== undefined
          ? acceptedAt + system.maxExecutionSeconds * 1_000
          : undefined,
    };
  });
}

/** `AccptncDtTm` in milliseconds since 1970; undefined if it cannot be read. */
function acceptanceOf(pacs008: Element | undefined): number | undefined {
  const text = textAt(pacs008, 'CdtTrfTxInf/AddtlDtTm/AccptncDtTm');
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

function priorityOf(pacs008: Element | undefined): string {
  return textAt(pacs008, 'CdtTrfTxInf/PmtTpInf/InstrPrty') ?? 'NORM'; // MSG-5: the default priority
}

/**
 * A quote id is the id of the quote request with the quote's number, from 1, as its last byte. Payments name
 * their quote by this id (QUO-7).
 */
function quotesOf(request: QuoteRequestRow): readonly Quote[] {
  return request.fxp_ids.map((_, index) => ({
    quoteId: request.quote_request_id.slice(0, -2) + (index + 1).toString(16).padStart(2, '0'),
    request,
    index,
    issuedAt: instant(request.issued_at),
  }));
}

export function isPost(exchange: Exchange, path: string): boolean {
  return exchange.method === 'POST' && exchange.path.split('?', 1)[0] === path;
}

export function toSubmission(exchange: Exchange): Submission {
  const query = new URLSearchParams(exchange.path.split('?')[1] ?? '');
  const isXml = exchange.status === 200 && exchange.responseBody !== undefined;
  return {
    exchange,
    sentAt: instant(exchange.sentAt),
    endedAt: instant(exchange.endedAt),
    sha256: sha256Of(exchange.requestBody ?? ''),
    answer: isXml ? readMessage(exchange.responseBody ?? '') : undefined,
    callbackUrl: query.get('pacs002Endpoint') ?? query.get('acmt024Endpoint') ?? undefined,
  };
}

function reportedByOthers({ exchanges }: Evidence): ReadonlySet<string> {
  const taken = exchanges.filter((one) => isPost(one, '/iso20022/pacs002') && one.status === 200);
  return new Set(taken.flatMap(({ uetr }) => (uetr === undefined ? [] : [uetr])));
}
