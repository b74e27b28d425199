// Where requests wait for what becomes of their submissions: `Prefer: wait`, and the turn of a resolution.
// All of them share one look at the record every 50 ms, so that a thousand cost the database no more than one.
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../db/pool/connection.ts';
import { findAnswers, type JudgedSubmission } from '../../db/payments/submission-answers.ts';

export interface AwaitedAnswers {
  /** Resolves once the submission is judged, or when the time is over. */
  judged(messageId: string, withinMs: number): Promise<void>;
  /** Id of the stored answer that ends it: final, acmt.024 or refusal; undefined when the time is over. */
  answer(messageId: string, withinMs: number): Promise<string | undefined>;
}

const lookEveryMs = 50;

interface Waiter {
  readonly messageId: string;
  readonly isMet: (submission: JudgedSubmission) => boolean;
  readonly settle: (submission: JudgedSubmission | undefined) => void;
}

export function createAwaitedAnswers(db: Db): AwaitedAnswers {
  const waiting = new Set<Waiter>();
  let isLooking = false;

  /** Looks until nobody waits. While the database is away it shows nothing, and whoever waits is answered in time. */
  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    while (waiting.size > 0) {
      const ids = new Set([...waiting].map(({ messageId }) => messageId));
      const found = await findAnswers(db, [...ids]).catch(() => []);
      const judged = new Map(found.map((submission) => [submission.messageId, submission]));
      for (const waiter of waiting) {
        const submission = judged.get(waiter.messageId);
        if (submission !== undefined && waiter.isMet(submission)) waiter.settle(submission);
      }
      await delay(lookEveryMs, undefined, { ref: false });
    }
    isLooking = false;
  }

  function wait(
    messageId: string,
    withinMs: number,
    isMet: Waiter['isMet'],
  ): Promise<JudgedSubmission | undefined> {
    if (withinMs <= 0) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const timer = setTimeout(() => waiter.settle(undefined), withinMs).unref();
      const waiter: Waiter = {
        messageId,
        isMet,
        settle: (submission) => {
          clearTimeout(timer);
          waiting.delete(waiter);
          resolve(submission);
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
      const submission = await wait(messageId, withinMs, ({ answerMessageId }) => answerMessageId !== null);
      return submission?.answerMessageId ?? undefined;
    },
  };
}
