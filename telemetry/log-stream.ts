// Writes log lines to standard output, asynchronously. A full disk, or a pipe or terminal without a reader,
// may lose lines, but never delays a payment or the process. No write blocks, the queue is bounded, and a log
// line reports how many lines were lost. Lines are never split, even if other processes write to the same
// pipe.
import { constants, fstatSync, openSync, writeSync, type Stats } from 'node:fs';

export interface LogStream {
  /** Queues one line, which must include its line break. Never throws. */
  readonly write: (line: string) => void;
}

export interface LogStreamOptions {
  /** The service name in the log line about lost lines. */
  readonly service?: string;
  /** File descriptor; default: standard output. */
  readonly fd?: number;
  /** Maximum number of characters in the queue; default 8 million. */
  readonly most?: number;
  /** Milliseconds for writing the remaining lines when the process exits; default 500. */
  readonly endMs?: number;
}

const standardOutput = 1;
const fullMs = 20; // Milliseconds until a retry when the pipe is full.
const failedMs = 500; // Milliseconds until a retry after an error.
const pauseMs = 5;
const lineBreak = 10;
const nothing = Buffer.alloc(0);

export function createLogStream(options: LogStreamOptions = {}): LogStream {
  const { service, fd: given = standardOutput, most = 8_000_000, endMs = 500 } = options;
  const { fd, pieceBytes } = openOutput(given);
  let waiting: string[] = [];
  let size = 0; // Number of characters in the queue.
  /** Number of lines that could not be written. The next write reports it. */
  let lost = 0;
  /** The bytes that are being written: lines, or a report of lost lines. */
  let piece: Buffer = nothing;
  let lostInPiece = 0;
  let isCut = false;
  let isScheduled = false;

  function take(): Buffer {
    lostInPiece = lost;
    lost = 0;
    const lines = lostInPiece > 0 ? lossLine(lostInPiece, service) : takeLines();
    // The line break ends a line that was written only in part.
    return Buffer.from(lines === '' || !isCut ? lines : `\n${lines}`);
  }

  function takeLines(): string {
    let bytes = 0;
    const tooMany = waiting.findIndex(
      (line, index) => (bytes += Buffer.byteLength(line)) > pieceBytes && index > 0,
    );
    const lines = waiting.slice(0, tooMany < 0 ? undefined : tooMany);
    waiting = waiting.slice(lines.length);
    const text = lines.join('');
    size -= text.length;
    return text;
  }

  /** Writes until the queue is empty or the output accepts no more bytes. */
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
      if (size + piece.length + line.length > most) {
        lost += 1;
        return;
      }
      waiting.push(line);
      size += line.length;
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(run); // Lines of the same turn of the event loop are written together.
    },
  };
}

interface Output {
  readonly fd: number;
  /** Maximum bytes per write, in whole lines. A longer line is written alone. */
  readonly pieceBytes: number;
}

const fileBytes = 65_536;
// PIPE_BUF of Linux. A write of this size is atomic, even if other processes write to the same pipe.
const pipeBytes = 4_096;

/**
 * Reopens standard output in non-blocking mode. The mode belongs to the open file description, which other
 * processes may share. So the mode of the given descriptor must not change.
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
    // A socket, a pipe of another user, or another operating system. Node makes its own stream for it
    // non-blocking.
    if (stats.isFIFO() || stats.isSocket()) process.stdout.on('error', () => undefined);
    return standardOutput;
  }
}

function linesIn(piece: Buffer): number {
  return piece.reduce((count, byte) => (byte === lineBreak ? count + 1 : count), 0);
}

const lossLine = (lost: number, service: string | undefined) =>
  `${JSON.stringify({ level: 40, time: Date.now(), service, lost, msg: 'lines of the log could not be written, and are lost' })}\n`;

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
