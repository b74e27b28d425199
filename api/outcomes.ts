// Where requests wait for what becomes of their submissions: `Prefer: wait` (PAY-1), and the turn of a resolution
// (SEC-7). All of them share one look at the record every 50 ms, so that a thousand cost the database no more than one.
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../db/connection.ts';
import { findOutcomes, type Outcome } from '../db/outcomes.ts';

export interface Outcomes {
  /** Resolves once the submission is judged, or when the time is over. */
  judged(messageId: string, withinMs: number): Promise<void>;
  /** Id of the stored answer that ends it: final, acmt.024 or refusal; undefined when the time is over. */
  answer(messageId: string, withinMs: number): Promise<string | undefined>;
}

const lookEveryMs = 50;

interface Waiter {
  readonly messageId: string;
  readonly isMet: (outcome: Outcome) => boolean;
  readonly settle: (outcome: Outcome | undefined) => void;
}

export function createOutcomes(db: Db): Outcomes {
  const waiting = new Set<Waiter>();
  let isLooking = false;

  /** Looks until nobody waits. While the database is away it shows nothing, and whoever waits is answered in time. */
  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    while (waiting.size > 0) {
      const ids = new Set([...waiting].map(({ messageId }) => messageId));
      const found = await findOutcomes(db, [...ids]).catch(() => []);
      const outcomes = new Map(found.map((outcome) => [outcome.messageId, outcome]));
      for (const waiter of waiting) {
        const outcome = outcomes.get(waiter.messageId);
        if (outcome !== undefined && waiter.isMet(outcome)) waiter.settle(outcome);
      }
      await delay(lookEveryMs, undefined, { ref: false });
    }
    isLooking = false;
  }

  function wait(messageId: string, withinMs: number, isMet: Waiter['isMet']): Promise<Outcome | undefined> {
    if (withinMs <= 0) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const timer = setTimeout(() => waiter.settle(undefined), withinMs).unref();
      const waiter: Waiter = {
        messageId,
        isMet,
        settle: (outcome) => {
          clearTimeout(timer);
          waiting.delete(waiter);
          resolve(outcome);
        },
      };
      waiting.add(waiter);
      void look();
    });
  }

  return {
    judged: async (messageId, withinMs) => {
      await wait(messageId, withinMs, () => true);
    },
    answer: async (messageId, withinMs) => {
      const outcome = await wait(messageId, withinMs, ({ answerMessageId }) => answerMessageId !== null);
      return outcome?.answerMessageId ?? undefined;
    },
  };
}
