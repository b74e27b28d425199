// Where the lines of the log go: to standard output, after the work that they tell of (OBS-1). A file on a full disk, or
// a pipe that nobody reads, costs lines, and neither a payment nor the process nor its end: no write blocks, what waits is
// bounded, and how much was lost is said as soon as something can be written again.
import { fstatSync, writeSync } from 'node:fs';

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
}

const standardOutput = 1;
const fullMs = 20; // a pipe that is full is tried again
const failedMs = 500; // so is what failed
const endMs = 500; // for what is left when the process ends
const pauseMs = 5;
const lineBreak = 10;
const nothing = Buffer.alloc(0);

export function createLogStream(options: LogStreamOptions = {}): LogStream {
  const { service, fd = standardOutput, most = 8_000_000 } = options;
  if (fd === standardOutput) leaveUnblocked();
  let waiting: string[] = [];
  let size = 0;
  let lost = 0;
  /** What is being written: lines, or how many were lost. */
  let piece: Buffer = nothing;
  let lostInPiece = 0;
  let isCut = false;
  let isScheduled = false;

  function take(): Buffer {
    const begin = isCut ? '\n' : ''; // behind half a line
    lostInPiece = lost;
    lost = 0;
    if (lostInPiece > 0) return Buffer.from(begin + lossLine(lostInPiece, service));
    const lines = waiting.join('');
    waiting = [];
    size = 0;
    return Buffer.from(lines === '' ? '' : begin + lines);
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
      if (size + piece.length + line.length > most) {
        lost += 1;
        return;
      }
      waiting.push(line);
      size += line.length;
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(run); // what one turn of the event loop tells is written together
    },
  };
}

/**
 * Opening `process.stdout` makes a pipe or socket non-blocking: a write to one that nobody reads then fails with EAGAIN, and
 * does not wait.
 */
function leaveUnblocked(): void {
  const output = fstatSync(standardOutput);
  if (output.isFIFO() || output.isSocket()) process.stdout.on('error', () => undefined);
}

function linesIn(piece: Buffer): number {
  return piece.reduce((count, byte) => (byte === lineBreak ? count + 1 : count), 0);
}

const lossLine = (lost: number, service: string | undefined) =>
  `${JSON.stringify({ level: 40, time: Date.now(), service, lost, msg: 'lines of the log could not be written, and are lost' })}\n`;

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
