// Shares request counts between the api processes once a second, so that a limit applies to all of them
// together. Counts the undecided payments of each clearing system every few seconds. While the database does
// not answer, each process counts alone.
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Db } from '../../../db/pool/connection.ts';
import { addCounts, countUndecided, forgetCounts } from '../../../db/records/request-counts.ts';
import { repeat } from '../../../db/pool/repeat.ts';
import type { Quotas } from './quotas.ts';

export interface Undecided {
  /**
   * Number of the clearing system's payments without a final status. It is the last count plus the payments
   * that this process has taken in since.
   */
  of(clearingSystem: string): number;
  /** Counts a submission while it is being stored and judged. */
  takeIn(clearingSystem: string): TakenIn;
  /**
   * Counts again after a short delay, once for all waiting callers. Payments that end during the count are
   * counted twice until the next one. If the database does not answer, the last count stays in use.
   */
  recount(): Promise<void>;
}

export interface TakenIn {
  /** Marks the submission as new, so that it counts until the next count. */
  isNew(): void;
  end(): void;
}

const shareEveryMs = 1_000;
const countEveryMs = 5_000; // counting takes some microseconds for each undecided payment
const recountAfterMs = 500; // at the limit of a payment system, each payment causes a recount

export interface SharedCounts {
  readonly undecided: Undecided;
  close(): Promise<void>;
}

/** @param all counters, each with its own length of window */
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

  /** Deletes old counts. A failure here does not undo the sharing of counts. */
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
  const added = new Map<string, number>(); // submissions added since the last count
  const takenIn = new Map<string, number>(); // submissions that are being stored and judged

  /** Queues the counts, so that only one runs at a time. */
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
        recounting = undefined; // later callers need another count
        return count();
      });
      return recounting;
    },
  };
}

const change = (counts: Map<string, number>, of: string, by: number) =>
  void counts.set(of, (counts.get(of) ?? 0) + by);
