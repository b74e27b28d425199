/**
 * The type of a journal entry, and the format of the journal files: one JSON object per line. Message bytes
 * are stored as text if they are UTF-8, else as base64. Tests and the sandbox itself, after a restart, read
 * the files.
 */
import { isUtf8 } from 'node:buffer';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MessageName } from '../core/iso20022/messages.ts';

export interface JournalEntry {
  /** Number of the entry within one run of the sandbox. All parties share the sequence. */
  readonly sequence: number;
  /** Time of the entry: ISO 8601 in UTC with milliseconds. */
  readonly at: string;
  /** For a separate report: the time when it was sent. `at` is then the time of the answer. */
  readonly sentAt?: string;
  /** Name of the party, such as `source/SGDFAST`, `destination/IPSO-TH` or `fxp/MERISGS0`. */
  readonly party: string;
  /** `booked` means an entry in the party's own ledger. */
  readonly direction: 'received' | 'sent' | 'booked';
  readonly kind: MessageName | 'ledger' | 'unknown';
  readonly uetr?: string;
  /** The MsgId of the message. */
  readonly messageId?: string;
  /** `TxSts` of a pacs.002; `moved` or `reversed` for a ledger entry. */
  readonly status?: string;
  readonly reasonCode?: string;
  /** The HTTP status of the answer to the received or sent message. It is absent if there was no answer. */
  readonly httpStatus?: number;
  /**
   * A decimal string: the interbank settlement amount of a ledger entry, or the buy amount of an fxtr.017.
   */
  readonly amount?: string;
  readonly currency?: string;
  /** For a ledger entry: the part of `amount` that the creditor gets. */
  readonly creditedAmount?: string;
  /** The rule that the gateway broke, according to this party. */
  readonly violation?: string;
  readonly note?: string;
  /** The `webhook-*` headers of the received request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly sha256?: string;
  /** The exact bytes of the body. */
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

/** Parses one complete line that `toLine` has written. */
function fromLine(text: string): JournalEntry {
  const { body, bodyEncoding, ...rest } = JSON.parse(text) as Line;
  return body === undefined ? rest : { ...rest, bytes: Buffer.from(body, bodyEncoding) };
}

/**
 * Reads all entries of a directory in order of time. It ignores a last line that a crash has truncated.
 * @param party reads only the entries of this party, such as `destination/IPSO-TH`
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
