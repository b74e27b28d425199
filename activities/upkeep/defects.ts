// A defect of ours while a message is handled still ends in an answer (SEC-9). The work is tried three times, in case
// the defect was momentary; then the barest answer is given. Everything else is thrown on: the world may answer later.
import { ApplicationFailure } from '@temporalio/common';
import type { Logger } from 'pino';
import { SealingKeyMissing } from '../../db/pool/failures.ts';
import { recordUnanswerable } from '../../db/payments/unanswered.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { failure, isDefect } from '../failures.ts';
import { tellKeyMissing } from './key-missing.ts';

const maxTries = 3;

/** Where a defect is noted, and of what. */
interface Defective {
  /** With the id of what it is about. */
  readonly logger: Logger;
  readonly what: 'a submission met a defect' | 'a decision met a defect' | 'an answer met a defect';
}

/**
 * @param work may run several times
 * @param bare makes the answer instead, from nothing but checked keys; gets the kind of the defect
 * @throws failures of the world; if `bare` meets a defect too, a failure that is never retried
 */
export async function boundDefects<T>(
  defective: Defective,
  work: () => Promise<T>,
  bare: (defect: string) => Promise<T>,
): Promise<T> {
  let defect = '';
  for (let tries = 1; tries <= maxTries; tries += 1) {
    try {
      return await work();
    } catch (error) {
      defect = noteDefect(defective, error);
    }
  }
  try {
    return await bare(defect);
  } catch (error) {
    throw failure(
      'Defect',
      `${defective.what}, and so did the barest answer: ${noteDefect(defective, error)}`,
    );
  }
}

/**
 * As `boundDefects`, for what a source has submitted: where nothing at all can be answered, a person is told, and this
 * worker does not bring it again.
 * @param messageId of the stored submission
 */
export async function boundSubmission<T>(
  { db, logger, workerId }: Pick<ActivityDependencies, 'db' | 'logger' | 'workerId'>,
  messageId: string,
  judge: () => Promise<T>,
  bare: (defect: string) => Promise<T>,
): Promise<T> {
  try {
    return await boundDefects(
      { logger: logger.child({ messageId }), what: 'a submission met a defect' },
      judge,
      bare,
    );
  } catch (error) {
    if (isUnanswerable(error)) await recordUnanswerable(db, messageId, workerId);
    if (error instanceof SealingKeyMissing && error.keyId !== undefined)
      await tellKeyMissing({ db, logger, workerId }, error.keyId);
    throw error;
  }
}

/** What `boundDefects` throws where nothing at all could be answered. */
export function isUnanswerable(error: unknown): boolean {
  return error instanceof ApplicationFailure && error.type === 'Defect';
}

/** @throws everything but defects */
function noteDefect({ logger, what }: Defective, error: unknown): string {
  if (!isDefect(error)) throw error;
  const { defect, frames } = describeDefect(error);
  logger.error({ defect, frames }, what);
  return defect;
}

/** Its kind and where it was; never its text, which might hold a value of the message. */
function describeDefect(error: unknown): { defect: string; frames: readonly string[] } {
  if (!(error instanceof Error)) return { defect: typeof error, frames: [] };
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  return { defect: error.name, frames: frames.slice(0, 5) };
}
