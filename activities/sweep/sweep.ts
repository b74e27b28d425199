// The sweep (LIF-2) finds work that nobody is doing and starts it again. It runs at every start of a worker, then every
// 30 s in one process at a time. Executions may be cancelled, terminated, deleted or never started: their payments
// still end. In a healthy system the sweep finds nothing.
import { messageIdsCountForDays } from '../../core/scheme/ends.ts';
import { giveBackLease, takeLease } from '../../db/pool/leases.ts';
import type { SweepDependencies } from './executions.ts';
import { sweepOnce, type Pass } from './one-sweep.ts';
import { standstillMsDefault } from './stuck-executions.ts';

export interface SweepOptions {
  /** Milliseconds between two sweeps; default 30 s. Null: sweep only once, at the start. */
  readonly everyMs?: number | null;
  /** Milliseconds for which a new item is left to the process that received it; default 15 s. */
  readonly graceMs?: number;
  /** Milliseconds for which an execution may do nothing about owed work; default 10 s (stuck-executions.ts). */
  readonly standstillMs?: number;
  /** Milliseconds of work per kind in one sweep; default 10 s. */
  readonly pieceMs?: number;
}

/** One moment by the monotonic clock of this process and by the database clock, in milliseconds. */
interface Moment {
  readonly ours: number;
  readonly database: number;
}

/** Some way beyond the last sweep that left nothing undone, by the clock that says it is longer ago. */
function withinMsOf(begun: Moment, completed: Moment | undefined): number {
  if (completed === undefined) return wholeMs;
  return Math.max(begun.ours - completed.ours, begun.database - completed.database) + overlapMs;
}

const everyMsDefault = 30_000;
// a process without the lease tries this often to take it: if the holder dies, another sweeps within 60 s
const looksPerPeriod = 3;
/** Then the sweep is cut short and another begins, so that a backlog does not delay accepted payments. */
const pieceMsDefault = 10_000;
const graceMsDefault = 15_000; // the api gives up after 10 s, and a worker that died is replaced within 5 s
const day = 24 * 3_600_000;
const wholeMs = messageIdsCountForDays * day; // look-back of the first sweep: as long as MsgIds count
const overlapMs = 10 * 60_000; // look-back of later sweeps, beyond the last one that left nothing undone

/**
 * Sweeps at once, then at intervals. Failures are logged, and the next sweep tries again.
 * @returns a function that stops it
 */
export function startSweep(deps: SweepDependencies, options: SweepOptions = {}): () => Promise<void> {
  const { everyMs = everyMsDefault, graceMs = graceMsDefault } = options;
  const { standstillMs = standstillMsDefault, pieceMs = pieceMsDefault } = options;
  const { db, executions, logger, workerId } = deps;
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void>;
  const period = everyMs ?? everyMsDefault;
  const lease = { name: 'sweep', holder: workerId, forMs: 1.5 * period };
  let hasSwept = false; // the first sweep needs no lease: this process may run newer code than the holder of the lease
  let completed: Moment | undefined; // the start of the last pass that left nothing undone
  let pass: (Pass & { readonly begun: Moment; hasFailed: boolean }) | undefined; // the pass in progress

  async function once(): Promise<number> {
    // a process that cannot reach the engine must not take the lease
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
    pass.hasFailed = true; // counts as failed until sweepOnce returns
    const { hasFailed, isCut } = await sweepOnce(deps, { ...limits, pass }).catch(handBack);
    pass.hasFailed = failedBefore || hasFailed;
    if (isCut) return 0;
    const ended = pass;
    pass = undefined;
    hasSwept = true;
    if (!ended.hasFailed) completed = ended.begun;
    else await giveBackLease(db, lease); // another process may succeed where this one failed
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
    if (stopping.signal.aborted || (everyMs === null && inMs > 0)) return;
    timer = setTimeout(begin, inMs);
  }
  begin();
  return async () => {
    stopping.abort();
    clearTimeout(timer);
    await running;
    await giveBackLease(db, lease).catch(() => undefined); // otherwise the lease expires
  };
}
