// Alters the clean evidence in memory, as a mistake in the product would have: a row that is missing, a message that
// says something else, an entry that came too early. What is altered is altered everywhere where it was seen, so that
// nothing but the mistake shows.
import { createHash } from 'node:crypto';
import type {
  Exchange,
  ExecutionRecord,
  FaultRecord,
  MachineBeat,
  RunRecord,
} from '../../chaos/oracle/evidence.ts';
import type { Evidence, EvidenceFile, JournalEntry } from '../../chaos/oracle/read-evidence.ts';

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A row whose columns may be changed. */
export type DraftRow = Record<string, unknown>;

/** The evidence while it is being altered. */
export interface Draft {
  run: Mutable<RunRecord>;
  exchanges: Mutable<Exchange>[];
  faults: FaultRecord[];
  machine: MachineBeat[];
  journal: Mutable<JournalEntry>[];
  tables: Record<string, DraftRow[]>;
  executions: Mutable<ExecutionRecord>[];
  files: EvidenceFile[];
}

/** One mistake, and what it must be named. */
export interface Case {
  /** What is broken. */
  readonly title: string;
  readonly id: string;
  /** Invariants that the same mistake breaks with it. */
  readonly also?: readonly string[];
  readonly alter: (draft: Draft) => void;
}

export function draftOf({ files, ...rest }: Evidence): Draft {
  return { ...(structuredClone(rest) as unknown as Omit<Draft, 'files'>), files: [...files] };
}

export function rows(draft: Draft, table: string): DraftRow[] {
  return (draft.tables[table] ??= []);
}

/** The first row of a table that has these values. */
export function row(draft: Draft, table: string, values: DraftRow): DraftRow {
  const found = rows(draft, table).find((one) =>
    Object.entries(values).every(([column, value]) => one[column] === value),
  );
  if (found === undefined) throw new Error(`no row of ${table} has ${JSON.stringify(values)}`);
  return found;
}

/** Takes rows away. */
export function drop(draft: Draft, table: string, values: DraftRow): void {
  const dropped = new Set(
    rows(draft, table).filter((one) =>
      Object.entries(values).every(([column, value]) => one[column] === value),
    ),
  );
  if (dropped.size === 0) throw new Error(`no row of ${table} has ${JSON.stringify(values)}`);
  draft.tables[table] = rows(draft, table).filter((one) => !dropped.has(one));
}

/** UETRs of payments that ended so, in the order in which they were judged. */
export function uetrs(draft: Draft, decision: DraftRow, payment: DraftRow = {}): readonly string[] {
  const fits = (one: DraftRow, values: DraftRow) =>
    Object.entries(values).every(([column, value]) =>
      typeof value === 'function' ? (value as (is: unknown) => boolean)(one[column]) : one[column] === value,
    );
  const decided = new Set(
    rows(draft, 'decisions')
      .filter((one) => fits(one, decision))
      .map((one) => one['uetr']),
  );
  return rows(draft, 'payments')
    .filter((one) => decided.has(one['uetr']) && fits(one, payment))
    .sort((one, other) => String(one['judged_at']).localeCompare(String(other['judged_at'])))
    .map((one) => String(one['uetr']));
}

export function first<T>(values: readonly T[]): T {
  const [value] = values;
  if (value === undefined) throw new Error('the clean run has none of these');
  return value;
}

/** A payment that was credited, with a quote, by a destination that reported it. */
export function credited(draft: Draft): string {
  return first(
    uetrs(draft, { status: 'ACCC' }, { quote_id: (id: unknown) => id !== null, corridor: 'SG-TH' }),
  );
}

export function delivery(draft: Draft, subject: string, kind: string): DraftRow {
  return row(draft, 'deliveries', { subject_id: subject, kind });
}

export function attempts(draft: Draft, subject: string, kind: string): DraftRow[] {
  const { delivery_id: id } = delivery(draft, subject, kind);
  return rows(draft, 'delivery_attempts').filter((one) => one['delivery_id'] === id);
}

/** Another attempt, so many milliseconds after the last one. */
export function addAttempt(draft: Draft, subject: string, kind: string, afterMs: number): DraftRow {
  const owner = delivery(draft, subject, kind);
  const last = attempts(draft, subject, kind).at(-1);
  if (last === undefined) throw new Error('there is no attempt to follow');
  const started = moved(String(last['started_at']), afterMs);
  const added = {
    ...last,
    attempt: String(Number(last['attempt']) + 1),
    started_at: started,
    finished_at: moved(started, 20),
  };
  owner['attempts'] = added.attempt;
  rows(draft, 'delivery_attempts').push(added);
  return added;
}

/** A time so many milliseconds later. */
export function moved(time: string, ms: number): string {
  return new Date(Date.parse(time) + ms).toISOString();
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Of a stored message. */
export function textOf(draft: Draft, messageId: unknown): string {
  const { body } = row(draft, 'messages', { message_id: messageId });
  return Buffer.from(String(body).slice(2), 'hex').toString('utf8');
}

/** What a stored message says, and everything that arrived of it. */
export function rewrite(draft: Draft, messageId: unknown, change: (text: string) => string): void {
  const message = row(draft, 'messages', { message_id: messageId });
  const before = textOf(draft, messageId);
  const after = change(before);
  if (after === before) throw new Error(`nothing to change in ${before}`);
  message['body'] = `\\x${Buffer.from(after).toString('hex')}`;
  message['sha256'] = `\\x${sha256(after)}`;
  for (const entry of draft.journal) {
    if (entry.sha256 === sha256(before)) Object.assign(entry, { sha256: sha256(after), body: after });
  }
  for (const exchange of draft.exchanges) {
    if (exchange.responseBody === before) exchange.responseBody = after;
    if (exchange.requestBody === before) exchange.requestBody = after;
  }
}

/** An arrival or booking again, so many milliseconds later. */
export function repeatEntry(draft: Draft, fits: (entry: JournalEntry) => boolean, afterMs: number): void {
  const entry = draft.journal.find(fits);
  if (entry === undefined) throw new Error('no such entry');
  draft.journal.push({ ...entry, at: moved(entry.at, afterMs), sequence: entry.sequence + 10_000 });
}

export function dropEntries(draft: Draft, fits: (entry: JournalEntry) => boolean): void {
  const left = draft.journal.filter((entry) => !fits(entry));
  if (left.length === draft.journal.length) throw new Error('no such entry');
  draft.journal = left;
}

export function submissionOf(draft: Draft, uetr: string, purpose = 'payment'): Mutable<Exchange> {
  const found = draft.exchanges.find((one) => one.uetr === uetr && one.purpose === purpose);
  if (found === undefined) throw new Error(`no exchange ${purpose} of ${uetr}`);
  return found;
}

/** The payment that waits for a silent destination. */
export function silent(draft: Draft): string {
  const decided = new Set(rows(draft, 'decisions').map((one) => one['uetr']));
  const waiting = rows(draft, 'payments').find((one) => !decided.has(one['uetr']));
  return String(waiting?.['uetr']);
}

/** One whose destination said ACCC first and RJCT after that. */
export function contradicted(draft: Draft): string {
  const events = rows(draft, 'audit_events').filter(({ kind }) => kind === 'payment.contradiction');
  return first(
    uetrs(draft, { status: 'ACCC' }).filter((uetr) => events.some((event) => event['subject_id'] === uetr)),
  );
}

/** One whose source asked for the status after it was decided. */
export function repeated(draft: Draft): string {
  const asked = draft.exchanges.filter(({ purpose }) => purpose === 'repeat').map(({ uetr }) => uetr);
  return first(uetrs(draft, { status: 'ACCC' }).filter((uetr) => asked.includes(uetr)));
}

/** The stored request of the quote of a payment, and the place of the quote in its columns. */
export function amountsOfQuote(
  draft: Draft,
  uetr: string,
): { readonly request: DraftRow; readonly index: number } {
  const quoteId = String(row(draft, 'payments', { uetr })['quote_id']);
  const request = row(draft, 'quote_requests', { quote_request_id: `${quoteId.slice(0, -2)}00` });
  return { request, index: Number.parseInt(quoteId.slice(-2), 16) - 1 };
}
