// The processes that speak AMQP for exchange-amqp.ts (NOT-1), one for each broker that is in use. A client of AMQP takes
// what it is told on trust: twenty bytes make it count to four billion, or ask for more memory than there is. So a
// broker's bytes are read where they can harm nobody else: the kernel ends such a process after a second of processor
// time, or at its limits of memory, also where nobody here could (CBK-3). It has no socket and no environment, and writes
// no log and no core.
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** One exchange, as far as it is told to the process. */
export interface Talk {
  readonly host: string;
  readonly queue: string;
  readonly login: { readonly username: string; readonly password: string } | undefined;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a process is told; talks are numbered. */
export type Told = { readonly talk: number } & (
  | { readonly about: Talk }
  /** Bytes of the broker. */
  | { readonly heard: Buffer }
  /** The broker says no more. */
  | { readonly isEnd: true }
  /** It is over. */
  | { readonly isOver: true }
);

/** What a broker makes of a message (AMQP 1.0, section 3.4). */
export type Outcome = 'accepted' | 'rejected' | 'released' | 'modified';

/** What a process says of a talk, in this order. */
export type Word =
  /** Bytes for the broker. */
  | { readonly bytes: Buffer }
  /** Those of the message follow; none was among the bytes before. */
  | { readonly transfers: true }
  | { readonly outcome: Outcome; readonly description: string }
  | { readonly failed: string }
  | { readonly hangsUp: true };

export type Said =
  | ({ readonly talk: number } & Word)
  | { readonly isReady: true }
  /** It takes no further talks: it has used up what processor time it should. */
  | { readonly retires: true };

export interface Speech {
  hear(bytes: Buffer): void;
  hearEnd(): void;
  /** @param isStuck whether it may be the process that keeps silent */
  leave(isStuck: boolean): void;
}

interface Hearer {
  readonly said: (word: Word) => void;
  /** The process has ended, and with it the talk. */
  readonly lost: (errorClass: string) => void;
}

export interface Speakers {
  /**
   * @param broker each has a process of its own, so that none can harm another
   * @throws what this machine is short of
   */
  speak(broker: string, about: Talk, hearer: Hearer): Speech;
  close(): void;
}

interface Speaker {
  readonly process: ChildProcess;
  readonly talks: Map<number, Hearer>;
  isReady: boolean;
  retire: () => void;
  idle?: NodeJS.Timeout;
}

/**
 * Talks at once with one broker, whoever's its queues are: four queues' worth (CBK-3). On a machine five times slower than
 * ours they take half of the processor time that is left when a process takes no further ones.
 */
export const mostTalksAtOnce = 64;
const cpuSeconds = 1; // the least that the kernel counts in; a start takes a tenth, a talk some milliseconds
const heapMiB = 32; // of which it uses five
const dataKiB = 256 * 1024; // all that it may write to, what is outside the heap included: twice what Node needs
const idleMs = 10_000; // 50 MB until then, for the next trade

const limits = 'ulimit -c 0 && ulimit -t "$1" && ulimit -d "$2" && shift 2 && exec "$@"';
/** The program is the same file beside this one in a built image (cli/entries.mjs). */
const extension = import.meta.url.endsWith('.ts') ? 'mjs' : 'js';
const program = fileURLToPath(new URL(`speak-amqp.${extension}`, import.meta.url));

export function createSpeakers(): Speakers {
  const current = new Map<string, Speaker>();
  const all = new Set<Speaker>();
  let talks = 0;

  function start(broker: string): Speaker {
    const speaker: Speaker = { process: startProcess(), talks: new Map(), isReady: false, retire };
    const { process } = speaker;
    current.set(broker, speaker);
    all.add(speaker);
    function retire() {
      if (current.get(broker) === speaker) current.delete(broker);
      if (speaker.talks.size === 0) process.kill('SIGKILL');
    }
    const lost = () => {
      all.delete(speaker);
      clearTimeout(speaker.idle);
      if (current.get(broker) === speaker) current.delete(broker);
      // one that never came so far had heard nothing
      const errorClass = speaker.isReady ? 'answer-unreadable' : 'own-resources';
      for (const { lost } of speaker.talks.values()) lost(errorClass);
      process.kill('SIGKILL'); // one whose channel broke
    };
    process.on('error', lost).once('exit', lost);
    process.on('message', (said: Said) => {
      if ('talk' in said) speaker.talks.get(said.talk)?.said(said);
      else if ('retires' in said) retire();
      else speaker.isReady = true;
    });
    return speaker;
  }

  function speak(broker: string, about: Talk, hearer: Hearer): Speech {
    const speaker = current.get(broker) ?? start(broker);
    const talk = (talks += 1);
    const tell = (told: Told) => {
      // that it has ended is told apart
      if (speaker.process.connected) speaker.process.send(told, () => undefined);
    };
    clearTimeout(speaker.idle);
    speaker.talks.set(talk, hearer);
    tell({ talk, about });
    return {
      hear: (heard) => tell({ talk, heard }),
      hearEnd: () => tell({ talk, isEnd: true }),
      leave: (isStuck) => {
        if (!speaker.talks.delete(talk)) return;
        tell({ talk, isOver: true });
        if (isStuck || current.get(broker) !== speaker) speaker.retire();
        else if (speaker.talks.size === 0) speaker.idle = setTimeout(speaker.retire, idleMs).unref();
      },
    };
  }

  return {
    speak,
    close: () => {
      for (const { process } of all) process.kill('SIGKILL');
    },
  };
}

/** It keeps no process alive, ends with the one that started it, and gets no signal that is meant for that one. */
function startProcess(): ChildProcess {
  const node = [process.execPath, `--max-old-space-size=${heapMiB}`, program];
  const args = ['-c', limits, 'isthmus-amqp', String(cpuSeconds), String(dataKiB), ...node];
  const child = spawn('/bin/sh', args, {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    env: {},
    detached: true,
  });
  child.unref();
  child.channel?.unref();
  return child;
}
