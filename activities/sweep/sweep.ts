// The sweep (LIF-2) finds work that no workflow is doing, and restarts it. It runs when a worker starts, then
// every 30 s in one process at a time. Workflow executions may be cancelled, terminated, deleted or never
// started, and their payments still end. In a healthy system the sweep finds nothing.
import { messageIdsCountForDays } from '../../core/scheme/ends.ts';
import { giveBackLease, takeLease } from '../../db/pool/leases.ts';
import type { SweepDependencies } from './executions.ts';
import { sweepOnce, type Pass } from './one-sweep.ts';
import { standstillMsDefault } from './stuck-executions.ts';

export interface SweepOptions {
  /** Milliseconds between two sweeps; default 30 s. Null means one sweep only, at the start. */
  readonly everyMs?: number | null;
  /** Milliseconds during which only the process that received a new item works on it; default 15 s. */
  readonly graceMs?: number;
  /** Milliseconds for which an execution may ignore overdue work; default 10 s (stuck-executions.ts). */
  readonly standstillMs?: number;
  /** Milliseconds of work on each kind in one sweep; default 10 s. */
  readonly pieceMs?: number;
}

/** One moment, by the monotonic clock of this process and by the database clock, in milliseconds. */
interface Moment {
  readonly ours: number;
  readonly database: number;
}

/**
 * How far to look back, in milliseconds: past the start of the last complete pass, plus an overlap. The clock
 * with the longer interval counts.
 */
function withinMsOf(begun: Moment, completed: Moment | undefined): number {
  if (completed === undefined) return wholeMs;
  return Math.max(begun.ours - completed.ours, begun.database - completed.database) + overlapMs;
}

const everyMsDefault = 30_000;
// A process without the lease tries this often per period to take it. If the holder dies, another sweeps
// within 60 s.
const looksPerPeriod = 3;
/** After this time the sweep moves to the next kind, so that a backlog does not delay accepted payments. */
const pieceMsDefault = 10_000;
const graceMsDefault = 15_000; // The api gives up after 10 s, and a dead worker is replaced within 5 s.
const day = 24 * 3_600_000;
// How far the first sweep looks back: the time for which MsgIds must be unique.
const wholeMs = messageIdsCountForDays * day;
const overlapMs = 10 * 60_000; // How far later sweeps look back beyond the last complete pass.

/**
 * Sweeps at once, then at intervals. Failures are logged, and the next sweep tries again.
 * @returns a function that stops the sweep
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
  // The first sweep needs no lease, because this process may run newer code than the lease holder.
  let hasSwept = false;
  let completed: Moment | undefined; // The start of the last pass without failures.
  let pass: (Pass & { readonly begun: Moment; hasFailed: boolean }) | undefined; // The pass in progress.

  async function once(): Promise<number> {
    // A process that cannot reach Temporal must not take the lease.
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
    pass.hasFailed = true; // The pass counts as failed until sweepOnce returns.
    const { hasFailed, isCut } = await sweepOnce(deps, { ...limits, pass }).catch(handBack);
    pass.hasFailed = failedBefore || hasFailed;
    if (isCut) return 0;
    const ended = pass;
    pass = undefined;
    hasSwept = true;
    if (!ended.hasFailed) completed = ended.begun;
    else await giveBackLease(db, lease); // Another process may succeed where this one failed.
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
    await giveBackLease(db, lease).catch(() => undefined); // If this fails, the lease expires.
  };
}
