/**
 * Whose request is next: of each sender and kind a few are taken in at a time, the next ones wait in a line
 * of their own, and what would wait too long is turned away before anything of it is read or stored. However many one sender
 * sends at once, and however costly they are, another's finds the engine, the database and the event loop almost free.
 */
import type { FairQueue } from './fair-queue.ts';
import { problem, type Problem } from './problem.ts';

export interface TurnLimits {
  /** Requests of one sender that are under way at a time. */
  readonly atOnce: number;
  /** Requests of one sender that may wait, each with its body in memory; as many more may arrive. */
  readonly waiting: number;
  /** Milliseconds after which one that waits is turned away. */
  readonly waitMs: number;
}

/** Each kind of request, and how many of it a sender may have under way. */
export const turnKinds = {
  /** Messages that are judged in some tens of milliseconds: eight keep every part of the service busy, and no more. */
  message: { atOnce: 8, waiting: 100, waitMs: 5_000 },
  /** Payments, which are judged in the same time. Few wait long, because admission.ts refuses those that would. */
  submission: { atOnce: 8, waiting: 100, waitMs: 2_000 },
  /** Messages that are answered by others: most of the time they only wait. */
  resolution: { atOnce: 16, waiting: 100, waitMs: 2_000 },
  /**
   * Questions that the database answers, of which some hold the thread for a millisecond or more when its answer comes:
   * another's message goes on behind two of them, and not behind hundreds. No body waits with them, so many may.
   */
  question: { atOnce: 2, waiting: 1_000, waitMs: 5_000 },
  /** Questions that are answered in some tenths of a millisecond, and share their trips to the database's disk. */
  quote: { atOnce: 16, waiting: 1_000, waitMs: 5_000 },
  /** Signatures of one payment system that are verified: a few at a time, whoever sends them in its name. */
  signature: { atOnce: 8, waiting: 1_000, waitMs: 5_000 },
  /** What asks the database before it is known who sends it: of one address. */
  stranger: { atOnce: 4, waiting: 1_000, waitMs: 5_000 },
  /** Answers of any length: under way until the last of it is taken or its client is gone. */
  book: { atOnce: 2, waiting: 10, waitMs: 5_000 },
} as const satisfies Readonly<Record<string, TurnLimits>>;

export type TurnKind = keyof typeof turnKinds;

export interface WaitingClient {
  /** Ends when the client has taken the answer, or has left: then it waits no more. */
  closed(): Promise<void>;
  /** The turn ends no earlier, because the answer is read as it is taken. */
  readonly untilClosed?: boolean;
}

/** @param from record: the answer was there already, and says nothing of how fast messages are judged */
export type GiveUpTurn = (from?: 'record') => void;

export interface Turns {
  /**
   * Makes room for a body, before any of it is kept.
   * @returns to be called when it has arrived; or why there is no room for it
   */
  makeRoom(sender: string): (() => void) | Problem;
  /**
   * Does the work when it is the sender's turn.
   * @param work may give its turn up before it ends, once its message is judged or stored for good, and all that is left is to
   * wait for another party. Never because of the time that has passed: the slower the engine, the more would be in it
   * @returns what the work answers, or the problem `too-many-messages`
   */
  take<T>(
    sender: string,
    work: (giveUp: GiveUpTurn) => Promise<T>,
    client?: WaitingClient,
  ): Promise<T | Problem>;
}

interface Line {
  arriving: number;
  underWay: number;
  /** Each is called when it has a place. */
  readonly waiting: Set<() => void>;
}

/**
 * Lines of one kind of request.
 * @param thread where those that hold the thread as they begin wait once more
 */
export function createTurns({ atOnce, waiting, waitMs }: TurnLimits, thread?: FairQueue): Turns {
  const lines = new Map<string, Line>();

  function lineOf(sender: string): Line {
    const line = lines.get(sender) ?? { arriving: 0, underWay: 0, waiting: new Set() };
    lines.set(sender, line);
    return line;
  }

  function forgetIdle(sender: string, { arriving, underWay }: Line): void {
    if (arriving + underWay === 0) lines.delete(sender);
  }

  /** @returns whether it has a place; false: its patience has ended, or too many wait */
  async function enter(line: Line, client?: WaitingClient): Promise<boolean> {
    if (line.underWay < atOnce) {
      line.underWay += 1;
      return true;
    }
    if (line.waiting.size >= waiting) return false;
    return new Promise((resolve) => {
      const end = (hasPlace: boolean) => {
        if (!line.waiting.delete(take)) return;
        clearTimeout(timer);
        resolve(hasPlace);
      };
      const take = () => end(true);
      const giveUp = () => end(false);
      const timer = setTimeout(giveUp, waitMs);
      line.waiting.add(take);
      void client?.closed().then(giveUp);
    });
  }

  /** Its place goes to the next one. */
  function leave(sender: string, line: Line): void {
    const [next] = line.waiting;
    if (next !== undefined) {
      next();
      return;
    }
    line.underWay -= 1;
    forgetIdle(sender, line);
  }

  return {
    makeRoom(sender) {
      const line = lineOf(sender);
      if (line.arriving >= waiting) return problem('too-many-messages');
      line.arriving += 1;
      return () => {
        line.arriving -= 1;
        forgetIdle(sender, line);
      };
    },
    async take(sender, work, client) {
      const line = lineOf(sender);
      if (!(await enter(line, client))) return problem('too-many-messages');
      let holds = true;
      const giveUp = () => {
        if (holds) leave(sender, line);
        holds = false;
      };
      try {
        return (await holdThread(thread, sender)) ? await work(giveUp) : problem('too-many-messages');
      } finally {
        if (client?.untilClosed === true) void client.closed().then(giveUp);
        else giveUp();
      }
    },
  };
}

/** @returns false: too many of its sender wait for the thread */
async function holdThread(thread: FairQueue | undefined, sender: string): Promise<boolean> {
  if (thread === undefined) return true;
  return new Promise((resolve) => {
    if (thread.ask(sender, () => resolve(true)) === undefined) resolve(false);
  });
}
