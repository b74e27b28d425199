// Reads the journals of the sandbox's parties while a payment runs, so it sees what they really received and sent. It
// never asks the gateway or its database.
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { fromLine, type JournalEntry } from '../../sandbox/journal-file.ts';

export interface JournalFollower {
  /** Entries written since the last call, oldest first. */
  next(): readonly JournalEntry[];
}

/** Follows the journals of a directory from their current ends. */
export function followJournals(directory: string): JournalFollower {
  const ends = new Map<string, number>();
  for (const name of journalFiles(directory)) ends.set(name, readFrom(join(directory, name), 0).end);
  return {
    next: () => {
      const entries = journalFiles(directory).flatMap((name) => {
        const { lines, end } = readFrom(join(directory, name), ends.get(name) ?? 0);
        ends.set(name, end);
        return lines.map(fromLine);
      });
      return entries.sort((one, other) => one.at.localeCompare(other.at) || one.sequence - other.sequence);
    },
  };
}

function journalFiles(directory: string): readonly string[] {
  return existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith('.jsonl')) : [];
}

/** The complete lines from a byte offset on, and the offset where the next line begins. */
function readFrom(path: string, offset: number): { readonly lines: readonly string[]; readonly end: number } {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    if (offset >= size) return { lines: [], end: size };
    const bytes = Buffer.alloc(size - offset);
    const length = readSync(file, bytes, 0, bytes.length, offset);
    const complete = bytes.subarray(0, bytes.subarray(0, length).lastIndexOf('\n') + 1);
    const lines = complete
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '');
    return { lines, end: offset + complete.length };
  } finally {
    closeSync(file);
  }
}
