/**
 * Whose message is next (SEC-7, I-16): of each clearing system a few are taken in at a time, the next ones wait in its
 * own line, and what would wait too long is turned away before anything of it is read or stored. However many messages
 * one operator sends at once, another's finds the engine, the database and the event loop almost free.
 */
import type { Caller } from './caller.ts';
import { problem, type Problem } from './problem.ts';

export interface TurnLimits {
  /** Messages of one party that are under way at a time. */
  readonly atOnce: number;
  /** Messages of one party that may wait, each with its body in memory. */
  readonly waiting: number;
  /** Milliseconds after which one that waits is turned away. */
  readonly waitMs: number;
}

/** Of messages that are judged in some tens of milliseconds: eight keep every part of the service busy, and no more. */
export const messageTurns: TurnLimits = { atOnce: 8, waiting: 100, waitMs: 5_000 };

/** Of requests that are answered by others: most of the time they only wait (RES-1). */
export const resolutionTurns: TurnLimits = { ...messageTurns, atOnce: 16 };

export interface Turns {
  /**
   * Does the work when it is the caller's turn; those of one clearing system share a line.
   * @param work may give its turn up before it ends, once its message is judged or stored for good, and all that is left is to
   * wait for another party. Never because of the time that has passed: the slower the engine, the more would be in it
   * @returns what the work answers, or the problem `too-many-messages`
   */
  take<T>(caller: Caller, work: (giveUp: () => void) => Promise<T>): Promise<T | Problem>;
}

interface Line {
  underWay: number;
  /** In the order in which they came. */
  readonly waiting: Set<Waiting>;
}

interface Waiting {
  readonly begin: () => void;
  /** Ends its patience. */
  readonly timer: NodeJS.Timeout;
}

export function createTurns(limits: TurnLimits): Turns {
  const lines = new Map<string, Line>();

  async function enter(line: Line): Promise<boolean> {
    if (line.underWay < limits.atOnce) {
      line.underWay += 1;
      return true;
    }
    if (line.waiting.size >= limits.waiting) return false;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        line.waiting.delete(waiting);
        resolve(false);
      }, limits.waitMs);
      const waiting = { begin: () => resolve(true), timer };
      line.waiting.add(waiting);
    });
  }

  function leave(party: string, line: Line): void {
    const [next] = line.waiting;
    if (next !== undefined) {
      line.waiting.delete(next);
      clearTimeout(next.timer); // the turn is its own from here: nothing may turn it away any more
      setImmediate(next.begin); // in between, the event loop serves the others
      return;
    }
    line.underWay -= 1;
    if (line.underWay === 0) lines.delete(party);
  }

  return {
    async take({ clearingSystemId, clientId }, work) {
      const party = clearingSystemId ?? clientId;
      const line = lines.get(party) ?? { underWay: 0, waiting: new Set() };
      lines.set(party, line);
      if (!(await enter(line))) return problem('too-many-messages');
      let holds = true;
      const giveUp = () => {
        if (holds) leave(party, line);
        holds = false;
      };
      try {
        return await work(giveUp);
      } finally {
        giveUp();
      }
    },
  };
}
