// The sweep (LIF-2): at every start of a worker, and from then on every 30 s in one process at a time, it finds what
// nobody is working on and starts it again. The promise does not rest on executions: they may be cancelled, terminated,
// deleted or never started, and their payments still end. In a healthy system it finds nothing.
import { messageIdsCountForDays } from '../../core/payments/duplicates.ts';
import { giveBackLease, takeLease } from '../../db/pool/leases.ts';
import type { SweepDependencies } from './dependencies.ts';
import { sweepOnce, type Pass } from './one-sweep.ts';
import { standstillMsDefault } from './stuck-executions.ts';

export interface SweepOptions {
  /** Milliseconds between two sweeps; default 30 s. Null: only the one at the start. */
  readonly everyMs?: number | null;
  /** Milliseconds for which something new is left to the process that took it; default 15 s. */
  readonly graceMs?: number;
  /** Milliseconds for which an execution that owes something may stand still; default 10 s (stuck-executions.ts). */
  readonly standstillMs?: number;
  /** Milliseconds of one sweep for each kind of what may be long; default 10 s. */
  readonly pieceMs?: number;
}

/** By the clock of this process, which only counts, and by that of the database, which may leap. Milliseconds. */
interface Moment {
  readonly ours: number;
  readonly database: number;
}

/**
 * How far back a sweep looks: beyond the last one that left nothing undone, whichever clock says that it is longer ago.
 */
function withinMsOf(begun: Moment, completed: Moment | undefined): number {
  if (completed === undefined) return wholeMs;
  return Math.max(begun.ours - completed.ours, begun.database - completed.database) + overlapMs;
}

export interface RunningSweep {
  stop(): Promise<void>;
}

const everyMsDefault = 30_000;
const looksPerPeriod = 3; // of who does not sweep, whether who did is gone: within 60 s, the lease included
/** Then this sweep is cut short and another begins at once, so that accepted payments come before a backlog. */
const pieceMsDefault = 10_000;
const graceMsDefault = 15_000; // the api gives up after 10 s, a worker that died is replaced within 5
const day = 24 * 3_600_000;
const wholeMs = messageIdsCountForDays * day; // of the sweep at the start: as long as MsgIds count
const overlapMs = 10 * 60_000; // of those that follow, beyond the last one that left nothing undone

/** Sweeps at once, then at intervals, until it is stopped. Failures are logged and made good by the next one. */
export function startSweep(deps: SweepDependencies, options: SweepOptions = {}): RunningSweep {
  const { everyMs = everyMsDefault, graceMs = graceMsDefault } = options;
  const { standstillMs = standstillMsDefault, pieceMs = pieceMsDefault } = options;
  const { db, executions, logger, workerId } = deps;
  const stopping = new AbortController();
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void>;
  const period = everyMs ?? everyMsDefault;
  const lease = { name: 'sweep', holder: workerId, forMs: 1.5 * period };
  let hasSwept = false; // the first is made in any case: the code may be newer than that of who holds the lease
  let completed: Moment | undefined; // the beginning of the last pass that left nothing undone
  let pass: (Pass & { readonly begun: Moment; hasFailed: boolean }) | undefined; // what is under way

  /** @returns milliseconds until the next */
  async function once(): Promise<number> {
    // the lease is for a process that can do something with it
    if (!(await executions.isReachable())) throw new Error('the engine does not answer');
    const { isOurs, now } = await takeLease(db, lease);
    if (!isOurs && hasSwept) return period / looksPerPeriod;
    const moment = { ours: performance.now(), database: now };
    pass ??= { begun: moment, places: new Map(), through: new Set(), hasFailed: false };
    const { signal } = stopping;
    const keepLease = () => takeLease(db, lease);
    const limits = {
      withinMs: withinMsOf(moment, completed),
      graceMs,
      standstillMs,
      pieceMs,
      signal,
      keepLease,
    };
    const failedBefore = pass.hasFailed;
    pass.hasFailed = true; // unless it comes to its end
    const { hasFailed, isCut } = await sweepOnce(deps, { ...limits, pass }).catch(handBack);
    pass.hasFailed = failedBefore || hasFailed;
    if (isCut) return 0;
    const ended = pass;
    pass = undefined;
    hasSwept = true;
    if (!ended.hasFailed) completed = ended.begun;
    else await giveBackLease(db, lease); // another may be able to do what this one is not
    return period;
  }
  async function handBack(error: unknown): Promise<never> {
    hasSwept = true;
    await giveBackLease(db, lease);
    throw error;
  }
  function begin(): void {
    running = once()
      .catch((error: unknown) => {
        if (!stopping.signal.aborted)
          logger.warn({ err: error }, 'the sweep was cut short; the next one goes on');
        return period;
      })
      .then(next);
  }
  function next(inMs: number): void {
    if (isStopped || (everyMs === null && inMs > 0)) return;
    timer = setTimeout(begin, inMs);
  }
  begin();
  return {
    stop: async () => {
      isStopped = true;
      stopping.abort();
      clearTimeout(timer);
      await running;
      await giveBackLease(db, lease).catch(() => undefined); // else it ends by itself
    },
  };
}
