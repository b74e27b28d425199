// Once a second the apis tell each other what they have counted, so that a limit is the same over all of them; and
// every few seconds how many payments of each clearing system are undecided. While the database is away each counts by
// itself.
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Db } from '../../db/pool/connection.ts';
import { addCounts, countUndecided, forgetCounts } from '../../db/records/request-counts.ts';
import { repeat } from '../../db/pool/repeat.ts';
import type { Quotas } from '../http/quotas.ts';

export interface Undecided {
  /** Payments of that clearing system without a final status, some seconds ago, and what was taken in of it here since. */
  of(clearingSystem: string): number;
  /** Counts one of it while it is stored and judged. */
  takeIn(clearingSystem: string): TakenIn;
  /**
   * Counts anew a little later, for all who wait for that. What ended while it was counted is in it twice until the next count;
   * where the database is away, it is as it was.
   */
  recount(): Promise<void>;
}

export interface TakenIn {
  /** It is no repeat, and counts until the next count. */
  isNew(): void;
  end(): void;
}

const shareEveryMs = 1_000;
const countEveryMs = 5_000; // a million undecided payments are some tenths of a second
const recountAfterMs = 500; // whoever is at its limit asks with each payment, and all of them wait for one count

export interface SharedCounts {
  readonly undecided: Undecided;
  close(): Promise<void>;
}

/** @param all counters of windows of any length */
export function shareCounts(db: Db, all: readonly Quotas[], logger: Logger): SharedCounts {
  let forgottenBefore = 0;

  async function share(): Promise<void> {
    for (const quotas of all) await shareOne(quotas);
  }

  async function shareOne(quotas: Quotas): Promise<void> {
    try {
      await quotas.share(async ({ minute, now, counts }) => {
        const totals = await addCounts(db, minute, counts);
        await forgetBefore(now - 1);
        return totals;
      });
    } catch (error) {
      logger.debug({ err: error }, 'counts of requests could not be shared; each api counts by itself');
    }
  }

  /** What was told stays told: a failure here gives nothing back. */
  async function forgetBefore(minute: number): Promise<void> {
    if (forgottenBefore >= minute) return;
    try {
      await forgetCounts(db, minute);
      forgottenBefore = minute;
    } catch (error) {
      logger.debug({ err: error }, 'old counts of requests could not be deleted; trying again');
    }
  }

  const undecided = countingUndecided(db, logger);
  const every = (ms: number, work: () => Promise<void>) => repeat(() => work().then(() => ms));
  const stops = [every(shareEveryMs, share), every(countEveryMs, undecided.count)];
  return {
    undecided,
    close: async () => {
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}

function countingUndecided(db: Db, logger: Logger): Undecided & { readonly count: () => Promise<void> } {
  let counted: ReadonlyMap<string, number> = new Map();
  let counting: Promise<void> | undefined;
  let recounting: Promise<void> | undefined;
  const added = new Map<string, number>(); // since they were counted
  const takenIn = new Map<string, number>(); // at present

  /** One at a time. */
  function count(): Promise<void> {
    counting ??= countNow().finally(() => (counting = undefined));
    return counting;
  }

  async function countNow(): Promise<void> {
    const before = [...added];
    try {
      counted = await countUndecided(db);
      for (const [system, number] of before) change(added, system, -number);
    } catch (error) {
      logger.debug({ err: error }, 'undecided payments could not be counted; the last count stands');
    }
  }

  async function countAnew(): Promise<void> {
    await counting;
    await delay(recountAfterMs, undefined, { ref: false });
    await count();
  }

  return {
    count,
    of: (system) => [counted, added, takenIn].reduce((sum, counts) => sum + (counts.get(system) ?? 0), 0),
    takeIn(system) {
      let isNew = false;
      change(takenIn, system, 1);
      return {
        isNew: () => void (isNew = true),
        end() {
          change(takenIn, system, -1);
          if (isNew) change(added, system, 1);
        },
      };
    },
    recount() {
      recounting ??= countAnew().finally(() => (recounting = undefined));
      return recounting;
    },
  };
}

const change = (counts: Map<string, number>, of: string, by: number) =>
  void counts.set(of, (counts.get(of) ?? 0) + by);
