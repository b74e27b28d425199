// Which fault met which state of a payment, how often: the states that payments were in while the fault lasted. A fault
// that never met a state has shown nothing about it; such cells are named.
import type { FaultRecord } from './oracle/evidence.ts';
import type { Evidence, Row } from './oracle/read-evidence.ts';

/**
 * The life of a payment in the record, finer than the states that the parties see (docs/reference/payment-states.md).
 */
const lives = {
  received: 'stored, not judged yet',
  unsent: 'accepted, no attempt to send it yet',
  sending: 'an attempt to send it is under way',
  waiting: 'sent, no final status yet',
  reported: 'the destination’s final is stored, not applied yet',
  telling: 'decided, and somebody still has to be told',
  done: 'decided, and everybody was told',
} as const;

type Life = keyof typeof lives;

const names = Object.keys(lives) as readonly Life[];

/** A fault, and how many payments were in which part of their life at some moment while it lasted. */
export type MetFault = FaultRecord & { readonly met: Readonly<Record<Life, number>> };

/** From one moment to another, milliseconds since 1970. */
type Span = readonly [from: number, to: number];

type Spans = Readonly<Record<Life, readonly Span[]>>;

/**
 * What each fault of a run has met, by the record of the payments: a state may last milliseconds only, and counts all
 * the same.
 */
export function metBy({ faults, tables }: Pick<Evidence, 'faults' | 'tables'>): readonly MetFault[] {
  const payments = livesOf(tables);
  return faults.map((fault) => {
    const [began, ended] = [at(fault.beganAt), at(fault.endedAt)];
    const isMet = ([from, to]: Span) => from <= ended && to >= began;
    const entries = names.map((life) => [life, payments.filter((spans) => spans[life].some(isMet)).length]);
    return { ...fault, met: Object.fromEntries(entries) as Record<Life, number> };
  });
}

/** The spans of each accepted payment; what has not come about lasts to the end. */
function livesOf(tables: Evidence['tables']): readonly Spans[] {
  const rows = (table: string) => tables[table] ?? [];
  const messages = new Map(rows('messages').map((row) => [row['message_id'], row]));
  const decisions = new Map(rows('decisions').map((row) => [row['uetr'], row]));
  const deliveries = groupOf(rows('deliveries'), 'subject_id');
  const attempts = groupOf(rows('delivery_attempts'), 'delivery_id');
  return rows('payments').flatMap((payment): readonly Spans[] => {
    if (payment['accepted'] !== true) return [];
    const { uetr } = payment;
    const acceptedAt = at(payment['judged_at']);
    const decision = decisions.get(uetr);
    const decidedAt = at(decision?.['decided_at']);
    const all = deliveries.get(uetr) ?? [];
    const instruction = all.find(({ kind }) => kind === 'instruction');
    const sends = (attempts.get(instruction?.['delivery_id']) ?? []).map((row): Span => [
      at(row['started_at']),
      at(row['finished_at']),
    ]);
    const sentAt = Math.min(decidedAt, ...sends.map(([from]) => from));
    const toldAt = Math.max(
      decidedAt,
      ...all
        .filter(({ kind }) => kind !== 'instruction')
        .map((row) => at(row['delivered_at'] ?? row['closed_at'])),
    );
    const report = messages.get(decision?.['report_message_id']);
    return [
      {
        received: [[at(messages.get(payment['message_id'])?.['created_at']), acceptedAt]],
        unsent: [[acceptedAt, sentAt]],
        sending: sends,
        waiting: sends.map(([, to]): Span => [to, decidedAt]).filter(([from, to]) => from < to),
        reported: report === undefined ? [] : [[at(report['created_at']), decidedAt]],
        telling: [[decidedAt, toldAt]],
        done: [[toldAt, Infinity]],
      },
    ];
  });
}

/** Milliseconds since 1970; what is not on record has not come about. */
function at(value: unknown): number {
  return typeof value === 'string' ? Date.parse(value) : Infinity;
}

function groupOf(rows: readonly Row[], key: string): ReadonlyMap<unknown, readonly Row[]> {
  const groups = new Map<unknown, Row[]>();
  for (const row of rows) {
    const group = groups.get(row[key]);
    if (group === undefined) groups.set(row[key], [row]);
    else group.push(row);
  }
  return groups;
}

export interface Coverage {
  /** By fault, then by life: how many payments were met. */
  readonly cells: ReadonlyMap<string, ReadonlyMap<Life, number>>;
  readonly empty: readonly string[];
}

/** @param all names of every fault that there is */
export function coverageOf(records: readonly MetFault[], all: readonly string[]): Coverage {
  const cells = new Map<string, Map<Life, number>>();
  for (const fault of all) cells.set(fault, new Map());
  for (const { name, met } of records) {
    const row = cells.get(name) ?? new Map<Life, number>();
    cells.set(name, row);
    for (const life of names) row.set(life, (row.get(life) ?? 0) + met[life]);
  }
  const empty = [...cells].flatMap(([fault, row]) =>
    names
      .filter((life) => (row.get(life) ?? 0) === 0)
      .map((life) => `${fault} has met no payment that was ${life}`),
  );
  return { cells, empty };
}

/** A table in Markdown, faults as rows. */
export function coverageTable({ cells }: Coverage): string {
  const rows = [...cells].map(
    ([fault, row]) => `| ${fault} | ${names.map((life) => row.get(life) ?? 0).join(' | ')} |`,
  );
  return [`| fault | ${names.join(' | ')} |`, `|---|${names.map(() => '---:').join('|')}|`, ...rows].join(
    '\n',
  );
}
