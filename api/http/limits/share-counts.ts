// Shares request counts between the api processes once a second, so that a limit applies to all of them together. Every
// few seconds it counts the undecided payments of each clearing system. While the database is away, each process counts
// alone.
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Db } from '../../../db/pool/connection.ts';
import { addCounts, countUndecided, forgetCounts } from '../../../db/records/request-counts.ts';
import { repeat } from '../../../db/pool/repeat.ts';
import type { Quotas } from './quotas.ts';

export interface Undecided {
  /**
   * Number of the clearing system's payments without a final status: the last count plus those that this process has
   * taken since.
   */
  of(clearingSystem: string): number;
  /** Counts a submission while it is stored and judged. */
  takeIn(clearingSystem: string): TakenIn;
  /**
   * Counts again a little later, once for all that wait. Payments that end during the count are counted twice until the
   * next one. If the database is away, the last count stands.
   */
  recount(): Promise<void>;
}

export interface TakenIn {
  /** The submission is new, so it counts until the next count. */
  isNew(): void;
  end(): void;
}

const shareEveryMs = 1_000;
const countEveryMs = 5_000; // counting a million undecided payments takes some tenths of a second
const recountAfterMs = 500; // a payment system at its limit causes a recount with each payment

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

  /** A failure here does not undo the sharing of counts. */
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
  let last = Promise.resolve();
  let recounting: Promise<void> | undefined;
  const added = new Map<string, number>(); // since the last count
  const takenIn = new Map<string, number>(); // submissions that are being stored and judged now

  /** One count runs at a time. */
  const count = () => (last = last.then(countNow));

  async function countNow(): Promise<void> {
    const before = [...added];
    try {
      counted = await countUndecided(db);
      for (const [system, number] of before) change(added, system, -number);
    } catch (error) {
      logger.debug({ err: error }, 'undecided payments could not be counted; the last count stands');
    }
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
      recounting ??= delay(recountAfterMs, undefined, { ref: false }).then(() => {
        recounting = undefined; // whoever asks from now on needs another count
        return count();
      });
      return recounting;
    },
  };
}

const change = (counts: Map<string, number>, of: string, by: number) =>
  void counts.set(of, (counts.get(of) ?? 0) + by);
