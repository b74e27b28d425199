// The processes that speak AMQP for exchange-amqp.ts (NOT-1): one for each broker that is in use, and one that ends. A client of AMQP takes
// what it is told on trust: twenty bytes make it count to four billion, or ask for more memory than there is. So a
// broker's bytes are read where they can harm nobody else: the kernel ends such a process after a second of processor
// time, or at its limits of memory, also where nobody here could (CBK-3). It has no socket and no environment, and writes
// no log and no core.
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { errorClassOf } from './error-class.ts';

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
  /** Whether it waits for a process of ours to come up: the broker has not been heard yet. */
  isStarting(): boolean;
}

interface Hearer {
  readonly said: (word: Word) => void;
  /** The process has ended, and with it the talk. */
  readonly lost: (errorClass: string) => void;
}

export interface Speakers {
  /**
   * @param broker each has a process of its own, so that none can harm another, and two at most
   * @throws what this machine is short of
   */
  speak(broker: string, about: Talk, hearer: Hearer): Speech;
  close(): void;
}

interface Speaker {
  readonly broker: string;
  readonly talks: Map<number, Hearer>;
  /** What is told once it is ready; talks that are over by then never are. */
  untold: Told[];
  isReady: boolean;
  /** Absent: it waits for one of the broker's to end. */
  started?: { readonly process: ChildProcess; readonly at: number };
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
const mostProcesses = 2; // of one broker: one that takes talks, and one whose last talks end, within the 10 s of a send
const longestStartMs = 60_000; // on the busiest machine; one that has not come up by then is left for another

const limits = 'ulimit -c 0 && ulimit -t "$1" && ulimit -d "$2" && shift 2 && exec "$@"';
/** The program is the same file beside this one in a built image (cli/entries.mjs). */
const extension = import.meta.url.endsWith('.ts') ? 'mjs' : 'js';
const program = fileURLToPath(new URL(`speak-amqp.${extension}`, import.meta.url));

export function createSpeakers(): Speakers {
  const current = new Map<string, Speaker>();
  const alive = new Set<Speaker>();
  let talks = 0;

  function retire(speaker: Speaker): void {
    if (current.get(speaker.broker) === speaker) current.delete(speaker.broker);
    if (speaker.talks.size === 0) speaker.started?.process.kill('SIGKILL');
  }

  /** Unless the broker has as many processes as it may: then once one of them has ended. */
  function start(speaker: Speaker): void {
    const { broker } = speaker;
    if ([...alive].filter((one) => one.broker === broker).length >= mostProcesses) return;
    const process = startProcess();
    speaker.started = { process, at: performance.now() };
    alive.add(speaker);
    const ended = () => {
      if (!alive.delete(speaker)) return;
      process.kill('SIGKILL'); // one whose channel broke
      // one that never came so far had heard nothing
      lose(speaker, speaker.isReady ? 'answer-unreadable' : 'own-resources');
      startNext(broker);
    };
    listen(speaker, process, { ended, retires: () => retire(speaker) });
  }

  function startNext(broker: string): void {
    const waiting = current.get(broker);
    if (waiting === undefined || waiting.started !== undefined) return;
    try {
      start(waiting);
    } catch (shortage) {
      lose(waiting, errorClassOf(shortage));
    }
  }

  function lose(speaker: Speaker, errorClass: string): void {
    clearTimeout(speaker.idle);
    if (current.get(speaker.broker) === speaker) current.delete(speaker.broker);
    for (const { lost } of speaker.talks.values()) lost(errorClass);
  }

  function open(broker: string): Speaker {
    const speaker: Speaker = { broker, talks: new Map(), untold: [], isReady: false };
    start(speaker);
    current.set(broker, speaker);
    return speaker;
  }

  function speak(broker: string, about: Talk, hearer: Hearer): Speech {
    const speaker = current.get(broker) ?? open(broker);
    const talk = (talks += 1);
    clearTimeout(speaker.idle);
    speaker.talks.set(talk, hearer);
    tell(speaker, { talk, about });
    return {
      hear: (heard) => tell(speaker, { talk, heard }),
      hearEnd: () => tell(speaker, { talk, isEnd: true }),
      leave: (isStuck) => {
        if (!speaker.talks.delete(talk)) return;
        if (speaker.isReady) tell(speaker, { talk, isOver: true });
        else speaker.untold = speaker.untold.filter((told) => told.talk !== talk);
        const isUseless = speaker.isReady ? isStuck : startingMs(speaker) > longestStartMs;
        if (isUseless || current.get(broker) !== speaker) retire(speaker);
        else if (speaker.talks.size === 0) speaker.idle = setTimeout(retire, idleMs, speaker).unref();
      },
      isStarting: () => speaker.started !== undefined && !speaker.isReady,
    };
  }

  return {
    speak,
    close: () => {
      current.clear(); // nobody is to be started any longer
      for (const { started } of alive) started?.process.kill('SIGKILL');
    },
  };
}

function listen(
  speaker: Speaker,
  process: ChildProcess,
  { ended, retires }: { readonly ended: () => void; readonly retires: () => void },
): void {
  process.on('error', ended).once('exit', ended);
  process.on('message', (said: Said) => {
    if ('talk' in said) speaker.talks.get(said.talk)?.said(said);
    else if ('retires' in said) retires();
    else {
      speaker.isReady = true;
      for (const told of speaker.untold.splice(0)) tell(speaker, told);
    }
  });
}

const startingMs = ({ started }: Speaker) => (started === undefined ? 0 : performance.now() - started.at);

function tell({ isReady, untold, started }: Speaker, told: Told): void {
  if (!isReady) untold.push(told);
  // that it has ended is told apart
  else if (started?.process.connected) started.process.send(told, () => undefined);
}

/** It keeps no process alive, ends with the one that started it, and gets no signal that is meant for that one. */
function startProcess(): ChildProcess {
  // without code made at run time, for which V8 maps 512 MiB at its start: more than all that it may have
  const node = [process.execPath, '--jitless', `--max-old-space-size=${heapMiB}`, program];
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
