/**
 * One journal entry, and its form on disk: one JSON object per line. Bytes are stored as text if they are UTF-8, else
 * as base64. Tests read it afterwards; the sandbox reads its own files at a restart.
 */
import { isUtf8 } from 'node:buffer';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MessageName } from '../core/iso20022/messages.ts';

export interface JournalEntry {
  /** Order within one run, over all parties. */
  readonly sequence: number;
  /** ISO 8601, UTC, milliseconds. */
  readonly at: string;
  /** For a separate report: when it was sent. `at` is then the time of the answer. */
  readonly sentAt?: string;
  /** `source/SGDFAST`, `destination/IPSO-TH`, `fxp/MERISGS0`. */
  readonly party: string;
  /** `booked`: an entry in the party's own ledger. */
  readonly direction: 'received' | 'sent' | 'booked';
  readonly kind: MessageName | 'ledger' | 'unknown';
  readonly uetr?: string;
  /** The MsgId; a sandbox has no other message id. */
  readonly messageId?: string;
  /** `TxSts` of a pacs.002; `moved` or `reversed` for a ledger entry. */
  readonly status?: string;
  readonly reasonCode?: string;
  /**
   * The HTTP status of this party's answer to a received message, or of the answer to a sent one. Absent: there was no
   * answer.
   */
  readonly httpStatus?: number;
  /** For a ledger entry: the interbank settlement amount. For an fxtr.017: the buy amount. A decimal string. */
  readonly amount?: string;
  readonly currency?: string;
  /** For a ledger entry: the part of it that the creditor gets. */
  readonly creditedAmount?: string;
  /** A rule that the gateway broke, as seen by this party. */
  readonly violation?: string;
  readonly note?: string;
  /** `webhook-*` headers that came with it. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly sha256?: string;
  /** The body, byte for byte. */
  readonly bytes?: Uint8Array;
}

interface Line extends Omit<JournalEntry, 'bytes'> {
  readonly body?: string;
  readonly bodyEncoding?: 'utf8' | 'base64';
}

export function toLine(entry: JournalEntry): string {
  const { bytes, ...rest } = entry;
  if (bytes === undefined) return `${JSON.stringify(rest)}\n`;
  const bodyEncoding = isUtf8(bytes) ? 'utf8' : 'base64';
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(bodyEncoding);
  return `${JSON.stringify({ ...rest, bodyEncoding, body } satisfies Line)}\n`;
}

/** The inverse of `toLine`, for one complete line. */
function fromLine(text: string): JournalEntry {
  const { body, bodyEncoding, ...rest } = JSON.parse(text) as Line;
  return body === undefined ? rest : { ...rest, bytes: Buffer.from(body, bodyEncoding) };
}

/**
 * All entries of a directory in order of time; a last line truncated by a crash is left out.
 * @param party only this party's, e.g. `destination/IPSO-TH`
 */
export function readJournal(directory: string, party?: string): readonly JournalEntry[] {
  const files =
    party === undefined
      ? readdirSync(directory).filter((name) => name.endsWith('.jsonl'))
      : [`${party.replace('/', '-')}.jsonl`].filter((name) => existsSync(join(directory, name)));
  return files
    .flatMap((name) => completeLines(readFileSync(join(directory, name), 'utf8')).map(fromLine))
    .sort((one, other) => one.at.localeCompare(other.at) || one.sequence - other.sequence);
}

function completeLines(text: string): readonly string[] {
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '');
}
