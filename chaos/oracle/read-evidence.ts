// Reads the files of an evidence folder (chaos/oracle/evidence.ts). Numbers from the database stay strings,
// because money must never become a binary floating-point number.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Exchange, ExecutionRecord, FaultRecord, MachineBeat, RunRecord } from './evidence.ts';

/** One line of a party's journal, as sandbox/journal-file.ts writes it. */
export interface JournalEntry {
  readonly sequence: number;
  /** The time when the party handled the message, ISO 8601. */
  readonly at: string;
  readonly sentAt?: string;
  /**
   * The party, such as `source/SGDFAST`, `destination/IPSO-TH` or `fxp/MERISGS0`; `refused` if the sandbox
   * rejected the message before reading it.
   */
  readonly party: string;
  readonly direction: 'received' | 'sent' | 'booked';
  readonly kind: string;
  readonly uetr?: string;
  readonly messageId?: string;
  readonly status?: string;
  readonly reasonCode?: string;
  readonly httpStatus?: number;
  readonly amount?: string;
  readonly currency?: string;
  readonly creditedAmount?: string;
  readonly violation?: string;
  readonly note?: string;
  /** The `webhook-*` headers of the request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly sha256?: string;
  readonly body?: string;
  readonly bodyEncoding?: 'utf8' | 'base64';
}

/** A row as `row_to_json` writes it, but with numbers as strings. */
export type Row = Readonly<Record<string, unknown>>;

/** A file of `logs/` or `histories/`, to be searched for personal data. */
export interface EvidenceFile {
  /** The path inside the evidence folder. */
  readonly path: string;
  readonly read: () => Buffer;
}

export interface Evidence {
  readonly run: RunRecord;
  readonly exchanges: readonly Exchange[];
  readonly faults: readonly FaultRecord[];
  /** Sorted by time. */
  readonly machine: readonly MachineBeat[];
  /** Sorted by time. */
  readonly journal: readonly JournalEntry[];
  /** Keyed by table. */
  readonly tables: Readonly<Record<string, readonly Row[]>>;
  readonly executions: readonly ExecutionRecord[];
  readonly files: readonly EvidenceFile[];
}

export function readEvidence(folder: string): Evidence {
  const inFolder = (name: string, ending: string) => {
    const path = join(folder, name);
    return existsSync(path) ? readdirSync(path).filter((one) => one.endsWith(ending)) : [];
  };
  const tables: Record<string, readonly Row[]> = {};
  for (const name of inFolder('database', '.jsonl')) {
    tables[name.replace('.jsonl', '')] = readLines(join(folder, 'database', name), parseExactly) as Row[];
  }
  return {
    run: JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')) as RunRecord,
    exchanges: readLines(join(folder, 'exchanges.jsonl')) as Exchange[],
    faults: readLines(join(folder, 'faults.jsonl')) as FaultRecord[],
    machine: readLines(join(folder, 'machine.jsonl')) as MachineBeat[],
    journal: inOrder(
      inFolder('journal', '.jsonl').flatMap(
        (name) => readLines(join(folder, 'journal', name)) as JournalEntry[],
      ),
    ),
    tables,
    executions: readLines(join(folder, 'executions.jsonl')) as ExecutionRecord[],
    files: [
      ...inFolder('logs', '').map((name) => `logs/${name}`),
      ...inFolder('histories', '.json').map((name) => `histories/${name}`),
    ].map((path) => ({ path, read: () => readFileSync(join(folder, path)) })),
  };
}

/** Sorts entries by time, and entries of the same time by sequence number. */
function inOrder(entries: readonly JournalEntry[]): readonly JournalEntry[] {
  return [...entries].sort((one, other) =>
    one.at < other.at ? -1 : one.at > other.at ? 1 : one.sequence - other.sequence,
  );
}

/**
 * Reads the complete lines of a file, without a last line that a crash cut off. A missing file has no lines.
 */
function readLines(
  path: string,
  parse: (line: string) => unknown = (line) => JSON.parse(line) as unknown,
): unknown[] {
  if (!existsSync(path)) return [];
  const text = readFileSync(path, 'utf8');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [parse(line)]));
}

const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** Parses JSON, but keeps every number as the string in which it was written. */
export function parseExactly(text: string): unknown {
  return JSON.parse(
    text.replaceAll(stringOrNumber, (token) => (token.startsWith('"') ? token : `"${token}"`)),
  ) as unknown;
}
