/**
 * Records every message that a party received or sent, and every ledger entry. Tests use these records to
 * check the gateway's behaviour from outside. The gateway must not read the journal.
 */
import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { toLine, type JournalEntry } from './journal-file.ts';

export type NewEntry = Omit<JournalEntry, 'sequence' | 'at' | 'sha256'>;

export interface Journal {
  record(entry: NewEntry): JournalEntry;
  /** Returns the newest entries, in the order oldest first. */
  entries(): readonly JournalEntry[];
  /**
   * Resolves with the first matching entry, whether recorded already or later.
   * @throws Error after `timeoutMs`; the message lists the entries that were recorded meanwhile
   */
  waitFor(fits: (entry: JournalEntry) => boolean, timeoutMs: number): Promise<JournalEntry>;
  /** @returns a function that ends the subscription */
  subscribe(listener: (entry: JournalEntry) => void): () => void;
  /** Resolves when all entries are written to the files. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** The journal files of a directory, one per party. A file is opened at the first entry of its party. */
interface Files {
  append(entry: JournalEntry): void;
  flush(): Promise<void>;
  close(): Promise<void>;
}

const noFiles: Files = {
  append: () => undefined,
  flush: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

function openFiles(directory: string): Files {
  mkdirSync(directory, { recursive: true });
  const streams = new Map<string, WriteStream>();
  let closed = false;
  const streamOf = (party: string): WriteStream => {
    const open = streams.get(party);
    if (open !== undefined) return open;
    const stream = createWriteStream(join(directory, `${party.replace('/', '-')}.jsonl`), { flags: 'a' });
    streams.set(party, stream);
    return stream;
  };
  const written = (stream: WriteStream) =>
    new Promise<void>((resolve, reject) => stream.write('', (error) => (error ? reject(error) : resolve())));
  return {
    append: (entry) => {
      // requests that were interrupted by the close are not written
      if (!closed) streamOf(entry.party).write(toLine(entry));
    },
    flush: async () => {
      await Promise.all([...streams.values()].map(written));
    },
    close: async () => {
      closed = true;
      await Promise.all([...streams.values()].map((stream) => finished(stream.end())));
    },
  };
}

const memoryEntries = 10_000;

export function openJournal({ directory }: { directory?: string }): Journal {
  const files = directory === undefined ? noFiles : openFiles(directory);
  const emitter = new EventEmitter<{ entry: [JournalEntry] }>().setMaxListeners(0);
  let kept: JournalEntry[] = [];
  let sequence = 0;

  const subscribe = (listener: (entry: JournalEntry) => void) => {
    emitter.on('entry', listener);
    return () => void emitter.off('entry', listener);
  };
  return {
    record(values) {
      sequence += 1;
      const entry: JournalEntry = {
        sequence,
        at: new Date().toISOString(),
        ...values,
        ...(values.bytes === undefined ? {} : { sha256: sha256Of(values.bytes) }),
      };
      kept.push(entry);
      if (kept.length > 2 * memoryEntries) kept = kept.slice(-memoryEntries);
      files.append(entry);
      emitter.emit('entry', entry);
      return entry;
    },
    entries: () => kept.slice(-memoryEntries),
    waitFor: (fits, timeoutMs) => {
      const past = kept.find(fits);
      return past === undefined ? nextEntry(fits, timeoutMs, { subscribe }) : Promise.resolve(past);
    },
    subscribe,
    flush: () => files.flush(),
    close: () => files.close(),
  };
}

function nextEntry(
  fits: (entry: JournalEntry) => boolean,
  timeoutMs: number,
  journal: Pick<Journal, 'subscribe'>,
): Promise<JournalEntry> {
  return new Promise((resolve, reject) => {
    const meanwhile: string[] = [];
    const timer = setTimeout(() => {
      unsubscribe();
      const seen = meanwhile.length === 0 ? 'nothing' : meanwhile.join(', ');
      reject(new Error(`no such journal entry within ${timeoutMs} ms; recorded meanwhile: ${seen}`));
    }, timeoutMs);
    const unsubscribe = journal.subscribe((entry) => {
      meanwhile.push(`${entry.party} ${entry.direction} ${entry.kind} ${entry.status ?? ''}`.trimEnd());
      if (!fits(entry)) return;
      clearTimeout(timer);
      unsubscribe();
      resolve(entry);
    });
  });
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
