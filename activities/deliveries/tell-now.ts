// Tells the parties, from this process, what was decided about HIGH payments at their deadlines: a worker that stands
// still may hold the tasks of the executions that should do it (TIM-1). What this leaves undone stays due, for the
// executions and the sweep; so does what goes to a queue.
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/activity';
import { deliverOpen } from './deliver.ts';
import type { ActivityDependencies } from '../dependencies.ts';

const forMs = 30_000; // of one payment: by then its executions are somewhere else (LIF-2)

export interface Telling {
  readonly tellNow: (uetr: string) => void;
  /** Finishes what it has begun, and begins nothing more. */
  readonly stop: () => Promise<void>;
}

export function startTelling(deps: ActivityDependencies): Telling {
  const underWay = new Set<Promise<void>>(); // none waits for another: they may be of a receiver that is silent (CBK-3)
  const stopped = new AbortController();
  setMaxListeners(0, stopped.signal);
  return {
    tellNow: (uetr) => {
      const telling = tellAll(deps, uetr, stopped.signal).finally(() => underWay.delete(telling));
      underWay.add(telling);
    },
    stop: async () => {
      stopped.abort();
      await Promise.all(underWay);
    },
  };
}

/** Tries until nothing is due any longer, or for half a minute. A full gate says when to come again (CBK-3). */
async function tellAll(deps: ActivityDependencies, uetr: string, signal: AbortSignal): Promise<void> {
  const until = performance.now() + forMs;
  while (!signal.aborted) {
    try {
      await deliverOpen(deps, uetr, 'http');
      return;
    } catch (error) {
      const inMs = error instanceof ApplicationFailure ? Number(error.nextRetryDelay) : Infinity;
      if (!(performance.now() + inMs < until)) return;
      await delay(inMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
