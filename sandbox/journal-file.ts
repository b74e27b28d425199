/**
 * The form of a journal on disk: one JSON object a line, the bytes as text where they are UTF-8, else as base64.
 * Tests read it after the fact; the sandbox reads its own back when it starts again.
 */
import { isUtf8 } from 'node:buffer';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalEntry } from './journal.ts';

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
export function fromLine(text: string): JournalEntry {
  const { body, bodyEncoding, ...rest } = JSON.parse(text) as Line;
  return body === undefined ? rest : { ...rest, bytes: Buffer.from(body, bodyEncoding) };
}

/**
 * All entries of a directory in the order of their time; a last line that a crash cut off is left out.
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
