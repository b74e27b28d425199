// Lets requests wait for the outcome of their submissions: for `Prefer: wait`, and for the turn of a
// resolution. All waiting requests share one query every 50 ms, so a thousand of them need no more queries
// than one.
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../db/pool/connection.ts';
import { findAnswers, type JudgedSubmission } from '../../db/payments/submissions.ts';

export interface AwaitedAnswers {
  /** Resolves when the submission is judged, or after withinMs. */
  judged(messageId: string, withinMs: number): Promise<void>;
  /**
   * Resolves with the id of the stored answer that ends the submission: a final pacs.002, an acmt.024 or a
   * refusal. Resolves with undefined after withinMs.
   */
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

  /**
   * Polls while any request waits. A database outage counts as "no answer yet", so that waiting requests
   * still end in time.
   */
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
