// Where the lines of the log go: to standard output, after the work that they tell of. A file on a full disk, or a
// pipe or terminal that nobody reads, costs lines, and neither a payment nor the process nor its end: no write blocks, what
// waits is bounded, and how much was lost is said where it is missing. Lines are whole, also where others write to the same
// pipe.
import { constants, fstatSync, openSync, writeSync, type Stats } from 'node:fs';

export interface LogStream {
  /** One line, with its line break; never throws. */
  readonly write: (line: string) => void;
}

export interface LogStreamOptions {
  /** Of the line that says how many were lost. */
  readonly service?: string;
  /** Default: standard output. */
  readonly fd?: number;
  /** Characters that may wait to be written; default 8 million. */
  readonly most?: number;
  /** Milliseconds for what is left when the process ends; default 500. */
  readonly endMs?: number;
}

const standardOutput = 1;
const fullMs = 20; // a pipe that is full is tried again
const failedMs = 500; // so is what failed
const pauseMs = 5;
const lineBreak = 10;
const nothing = Buffer.alloc(0);

export function createLogStream(options: LogStreamOptions = {}): LogStream {
  const { service, fd: given = standardOutput, most = 8_000_000, endMs = 500 } = options;
  const { fd, pieceBytes } = openOutput(given);
  const waiting = createQueue(most);
  /** Of lines that could not be written: said before anything else. */
  let lost = 0;
  /** What is being written: lines, or how many were lost. */
  let piece: Buffer = nothing;
  let lostInPiece = 0;
  let isCut = false;
  let isScheduled = false;

  function take(): Buffer {
    lostInPiece = lost > 0 ? lost : waiting.takeLost();
    lost = 0;
    const lines = lostInPiece > 0 ? lossLine(lostInPiece, service) : waiting.takeLines(pieceBytes);
    return Buffer.from(lines === '' || !isCut ? lines : `\n${lines}`); // behind half a line
  }

  /** Writes as much as is taken at once. */
  function flush(): 'done' | 'full' | 'failed' {
    for (;;) {
      if (piece.length === 0) piece = take();
      if (piece.length === 0) return 'done';
      try {
        const written = writeSync(fd, piece);
        if (written > 0) isCut = piece[written - 1] !== lineBreak;
        piece = piece.subarray(written);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 'full';
        lost += lostInPiece > 0 ? lostInPiece : linesIn(piece);
        piece = nothing;
        return 'failed';
      }
    }
  }

  function run(): void {
    const outcome = flush();
    if (outcome === 'done') isScheduled = false;
    else setTimeout(run, outcome === 'full' ? fullMs : failedMs).unref();
  }

  process.once('exit', () => {
    const until = performance.now() + endMs;
    while (flush() === 'full' && performance.now() < until) sleep(pauseMs);
  });

  return {
    write: (line) => {
      if (!waiting.put(line, piece.length) || isScheduled) return;
      isScheduled = true;
      setImmediate(run); // what one turn of the event loop tells is written together
    },
  };
}

interface Output {
  readonly fd: number;
  /** What goes out at once, in whole lines; a line that is longer goes alone. */
  readonly pieceBytes: number;
}

const fileBytes = 65_536;
const pipeBytes = 4_096; // PIPE_BUF of Linux: so much is taken whole or not at all, whoever else writes to the same pipe

/**
 * Standard output is opened anew, so that no write to it waits, whatever others make of theirs: whether a write waits
 * belongs to what was opened, which others may have, too.
 */
function openOutput(fd: number): Output {
  const stats = fstatSync(fd);
  const pieceBytes = stats.isFile() ? fileBytes : pipeBytes;
  return { fd: fd === standardOutput && !stats.isFile() ? unblocked(stats) : fd, pieceBytes };
}

function unblocked(stats: Stats): number {
  try {
    return openSync(
      `/proc/self/fd/${standardOutput}`,
      constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY,
    );
  } catch {
    // a socket, somebody else's pipe, another system: Node sets its own stream of it not to wait
    if (stats.isFIFO() || stats.isSocket()) process.stdout.on('error', () => undefined);
    return standardOutput;
  }
}

interface Queue {
  /** @returns whether there was room; else it counts as lost, and that is said in its place */
  put(line: string, alreadyTaken: number): boolean;
  /** Lines from the front, up to so many bytes, but at least one; none where the next is how many were lost. */
  takeLines(bytes: number): string;
  /** How many were lost here; 0 where a line is next. */
  takeLost(): number;
}

/** @param most characters */
function createQueue(most: number): Queue {
  /** Lines, and between them how many were lost. */
  let entries: (string | number)[] = [];
  let next = 0;
  let size = 0;
  const forget = () => {
    if (next < entries.length && next < 10_000) return;
    entries = entries.slice(next);
    next = 0;
  };
  return {
    put: (line, alreadyTaken) => {
      if (size + alreadyTaken + line.length <= most) {
        entries.push(line);
        size += line.length;
        return true;
      }
      const last = entries.length - 1;
      const known = entries[last];
      if (last >= next && typeof known === 'number') entries[last] = known + 1;
      else entries.push(1);
      return false;
    },
    takeLines: (bytes) => {
      let lines = '';
      let length = 0;
      for (; next < entries.length; next += 1) {
        const line = entries[next];
        if (typeof line !== 'string') break;
        length += Buffer.byteLength(line);
        if (lines !== '' && length > bytes) break;
        lines += line;
        size -= line.length;
      }
      forget();
      return lines;
    },
    takeLost: () => {
      const lost = entries[next];
      if (typeof lost !== 'number') return 0;
      next += 1;
      forget();
      return lost;
    },
  };
}

function linesIn(piece: Buffer): number {
  return piece.reduce((count, byte) => (byte === lineBreak ? count + 1 : count), 0);
}

const lossLine = (lost: number, service: string | undefined) =>
  `${JSON.stringify({ level: 40, time: Date.now(), service, lost, msg: 'lines of the log could not be written, and are lost' })}\n`;

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
