// What a failure of the world means for an activity: it is waited for, holding nothing meanwhile, or outlasted where what
// is in memory would be lost. Defects of ours are told apart here, and nowhere else (SEC-9, TIM-3).
import { setTimeout as delay } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import { isDatabaseFailure } from '../db/failures.ts';

// nextRetryDelay 0 is no "at once" but the end of the activity for good (RETRY_STATE_TIMEOUT, server 1.31)
const leastRetryMs = 1;

/**
 * An expected failure, after which the engine calls the activity again. Until then it holds no slot.
 * @param inMs milliseconds; whatever is given, the activity is called again
 */
export function tryAgain(type: string, message: string, inMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    type,
    message,
    category: ApplicationFailureCategory.BENIGN,
    nextRetryDelay: Number.isFinite(inMs) ? Math.max(leastRetryMs, Math.ceil(inMs)) : leastRetryMs,
  });
}

/** Whether the error says that we are wrong, not the world: a retry will not help (SEC-9). */
export function isDefect(error: unknown): boolean {
  return !isDatabaseFailure(error) && !(error instanceof ApplicationFailure);
}

const outlastMs = 20_000; // within startToCloseTimeout, beside an exchange of 10 s
const pausesMs = [100, 200, 500, 1_000]; // the last one repeats

/** How long a claim is asked for again, milliseconds; then it counts as MAYBE_SENT. It holds a place at a gate. */
export const claimForMs = 5_000;

/**
 * Writes down what is in memory, however long the database is away: what came of an exchange would be lost, and asked for
 * by another send (TIM-3); so would be that a claim was not sent.
 * @param forMs milliseconds; default 20 s
 * @throws the failure when the database is away for longer than that; a defect at once
 */
export async function outlast<T>(write: () => Promise<T>, forMs = outlastMs): Promise<T> {
  const until = performance.now() + forMs;
  for (let tries = 0; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      if (!isDatabaseFailure(error) || performance.now() > until) throw error;
      await delay(pausesMs[Math.min(tries, pausesMs.length - 1)]);
    }
  }
}
