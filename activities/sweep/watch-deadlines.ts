// Watches the HIGH deadlines in every worker, in addition to the workflows. A stalled worker may hold the
// workflow tasks of such payments, and a deadline must not wait for it. In a healthy system this finds
// nothing.
import { findOverdue } from '../../db/records/sweep.ts';
import { repeat } from '../../db/pool/repeat.ts';
import type { SweepDependencies } from './executions.ts';

const everyMs = 1_000;
const undecided = 'a HIGH deadline passed and could not be decided; trying again';
const graceMs = 1_000; // Milliseconds. A healthy execution decides within 250 ms.
/** Number of concurrent decisions. Each may hold a connection while it waits for a lock. */
const lanes = 4;
const lookMs = 5_000; // Milliseconds. After this time, newly overdue payments are read and come first.

/** @returns a function that stops the watch after the current look */
export function watchDeadlines({
  db,
  executions,
  activities,
  logger,
}: SweepDependencies): () => Promise<void> {
  let held = new Set<string>(); // Payments that could not be decided last time. They come after all others.
  async function look(signal: AbortSignal): Promise<number> {
    try {
      const overdue: string[] = [];
      for await (const uetr of findOverdue(db, graceMs)) overdue.push(uetr);
      const again = overdue.filter((uetr) => held.has(uetr));
      const fresh = overdue.filter((uetr) => !held.has(uetr));
      held = new Set(again);
      const until = performance.now() + lookMs;
      const decideEach = async (uetrs: string[]) => {
        for (let uetr = uetrs.shift(); uetr !== undefined; uetr = uetrs.shift()) {
          if (signal.aborted || performance.now() > until) return;
          await decide(uetr);
        }
      };
      await Promise.all(Array.from({ length: lanes }, () => decideEach(fresh)));
      await decideEach(again);
    } catch (error) {
      logger.warn({ err: error }, 'the deadlines could not be watched; trying again');
    }
    return everyMs;
  }
  async function decide(uetr: string): Promise<void> {
    held.add(uetr);
    try {
      const decided = await activities.decidePayment({ uetr, cause: { by: 'deadline' } });
      if (decided === null || !('status' in decided)) {
        logger.warn({ uetr }, undecided);
        return;
      }
    } catch (error) {
      logger.warn({ err: error, uetr }, undecided);
      return;
    }
    held.delete(uetr);
    logger.warn({ uetr }, 'a HIGH deadline passed without its execution; decided from the record (TIM-1)');
    // If this fails, the sweep finds the due deliveries.
    void executions.redeliver(uetr).catch(() => undefined);
  }
  return repeat(look);
}
