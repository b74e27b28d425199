// Where the lines of the log go: to standard output, behind the work and never before it (OBS-1). A file on a full disk, or
// a pipe that nobody reads, costs lines, and neither a payment nor the process: each is written off the event loop, what
// waits is bounded, and how much was lost is said as soon as something can be written again.
import { write, writeSync } from 'node:fs';

export interface LogStream {
  /** One line, with its line break; never throws. */
  readonly write: (line: string) => void;
}

export interface LogStreamOptions {
  /** Default: standard output. */
  readonly fd?: number;
  /** Characters that may wait to be written; default 8 million. */
  readonly most?: number;
}

const againMs = 500; // after a failure
const fullPipeMs = 20;
const stalledMs = 1_000; // nobody reads: not waited for at the end of the process

export function createLogStream({ fd = 1, most = 8_000_000 }: LogStreamOptions = {}): LogStream {
  let waiting: string[] = [];
  let size = 0;
  let lost = 0;
  let writingSince: number | undefined;

  /** What waits, as one piece; behind it, what was lost before it could be written. */
  function take(): Buffer {
    const lines = lost === 0 ? waiting : [...waiting, lossLine(lost)];
    waiting = [];
    size = 0;
    lost = 0;
    return Buffer.from(lines.join(''));
  }

  function next(): void {
    if (waiting.length === 0) {
      writingSince = undefined;
      return;
    }
    const lines = waiting.length + lost;
    put(take(), () => {
      lost += lines;
    });
  }

  function put(piece: Buffer, onLoss: () => void): void {
    writingSince = performance.now();
    write(fd, piece, (error, written) => {
      if (error?.code === 'EAGAIN') {
        setTimeout(() => put(piece, onLoss), fullPipeMs).unref(); // one that does not block
      } else if (error !== null) {
        onLoss();
        setTimeout(next, againMs).unref();
      } else if (written < piece.length) put(piece.subarray(written), onLoss);
      else next();
    });
  }

  process.once('exit', () => {
    if (writingSince !== undefined && performance.now() - writingSince > stalledMs) return;
    try {
      writeSync(fd, take());
    } catch {
      // nobody can be told
    }
  });

  return {
    write: (line) => {
      if (size + line.length > most) {
        lost += 1;
        return;
      }
      waiting.push(line);
      size += line.length;
      if (writingSince === undefined) {
        writingSince = performance.now();
        setImmediate(next); // what one turn of the event loop tells is written together
      }
    },
  };
}

const lossLine = (lost: number) =>
  `${JSON.stringify({ level: 40, time: Date.now(), lost, msg: 'lines of the log could not be written, and are lost' })}\n`;
