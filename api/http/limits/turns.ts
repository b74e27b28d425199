/**
 * Decides whose request is next. A few requests of each sender and kind run at once. Further ones wait in the
 * sender's queue, and then for the event loop (fair-queue.ts). A request that waits for too long is refused
 * before any of it is read or stored.
 */
import type { FairQueue } from './fair-queue.ts';
import { problem, type Problem } from '../problems/problem.ts';

export interface TurnLimits {
  /** Maximum number of requests of one sender that run at the same time. */
  readonly atOnce: number;
  /**
   * Maximum number of waiting requests of one sender, each with its body in memory. As many more may be
   * arriving.
   */
  readonly waiting: number;
  /** Milliseconds after which a waiting request is refused. */
  readonly waitMs: number;
}

/** The kinds of request, each with its limits for one sender. */
export const turnKinds = {
  /**
   * Messages, each judged within some tens of milliseconds. Eight at once keep every part of the service
   * busy.
   */
  message: { atOnce: 8, waiting: 100, waitMs: 5_000 },
  /**
   * Payments, which are judged as fast as other messages. Few wait for long, because admission.ts refuses
   * those that would.
   */
  submission: { atOnce: 8, waiting: 100, waitMs: 2_000 },
  /** Messages that another party answers. Most of the time they only wait. */
  resolution: { atOnce: 16, waiting: 100, waitMs: 2_000 },
  /**
   * Queries that read from the database. Some block the event loop for a millisecond or more when the rows
   * arrive. With this limit, another sender's message waits for two of them, not for hundreds. Many may wait,
   * because they hold no body.
   */
  question: { atOnce: 2, waiting: 1_000, waitMs: 5_000 },
  /**
   * Quotes. Each is answered in some tenths of a millisecond, and several share one write to the database's
   * disk.
   */
  quote: { atOnce: 16, waiting: 1_000, waitMs: 5_000 },
  /**
   * Signature checks for one payment system. Only a few run at a time, regardless of which client sends the
   * messages.
   */
  signature: { atOnce: 8, waiting: 1_000, waitMs: 5_000 },
  /** Requests of one address that need the database before their sender is known. */
  stranger: { atOnce: 4, waiting: 1_000, waitMs: 5_000 },
  /** Answers of unlimited length. Each runs until the client has read everything or has left. */
  book: { atOnce: 2, waiting: 10, waitMs: 5_000 },
} as const satisfies Readonly<Record<string, TurnLimits>>;

export type TurnKind = keyof typeof turnKinds;

export interface WaitingClient {
  /** Resolves when the client has received the answer or has left. A waiting request is then abandoned. */
  closed(): Promise<void>;
  /** The turn lasts until `closed` resolves, because the answer is streamed. */
  readonly untilClosed?: boolean;
}

/**
 * Ends the turn of a request before its answer.
 * @param from `record`: the answer was on record, so it says nothing about how fast messages are judged
 */
export type GiveUpTurn = (from?: 'record') => void;

export interface Turns {
  /**
   * Reserves room for a body, before any of it is kept.
   * @returns a function to call when the body has arrived, or the refusal if there is no room
   */
  makeRoom(sender: string): (() => void) | Problem;
  /**
   * Does the work when it is the sender's turn.
   * @param work may end its turn early, once its message is judged or stored and it only waits for another
   * party. It must not do so because of a timeout: the slower Temporal is, the more requests would then reach
   * it.
   * @returns the result of `work`, or the problem `too-many-messages`
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
  /** Callbacks of the waiting requests, oldest first. A callback is called when its request gets a place. */
  readonly waiting: Set<() => void>;
}

/**
 * Makes the queues of one kind of request, one per sender.
 * @param thread the queue for the event loop, for requests that block the event loop when they start
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

  /**
   * Takes a place, or waits for one.
   * @returns whether the request has a place. False: it waited too long, its client left, or too many
   * requests wait.
   */
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

  /** Gives the place to the next waiting request. */
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
        const hasTurn = thread === undefined || (await holdThread(thread, sender, waitMs));
        return hasTurn ? await work(giveUp) : problem('too-many-messages');
      } finally {
        if (client?.untilClosed === true) void client.closed().then(giveUp);
        else giveUp();
      }
    },
  };
}

/**
 * Waits for the event loop.
 * @returns false: the wait took too long, or too many requests of the sender wait
 */
async function holdThread(thread: FairQueue, sender: string, waitMs: number): Promise<boolean> {
  let takeBack: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  const hasTurn = await new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), waitMs);
    takeBack = thread.ask(sender, () => resolve(true));
    if (takeBack === undefined) resolve(false);
  });
  clearTimeout(timer);
  if (!hasTurn) takeBack?.();
  return hasTurn;
}
