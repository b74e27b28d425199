// Ensures that a message gets an answer even if Isthmus has a defect (SEC-9). The work is tried three times,
// in case the defect was momentary. Then the minimal answer is given. Other errors are rethrown, because a
// later retry may succeed.
import { ApplicationFailure } from '@temporalio/common';
import type { Logger } from 'pino';
import { SealingKeyMissing } from '../../db/pool/failures.ts';
import { recordUnanswerable } from '../../db/payments/unanswered.ts';
import { failure, isDefect, outlast } from '../failures.ts';
import { alertUnlessOpen } from '../../db/records/audit.ts';
import type { ActivityDependencies } from '../dependencies.ts';

const maxTries = 3;

interface Defective {
  readonly logger: Logger;
  /** The id of the message or payment, for the log. */
  readonly about?: Readonly<Record<string, string>>;
  readonly what:
    | 'a submission met a defect'
    | 'a decision met a defect'
    | 'an answer met a defect'
    | 'a step after a final status met a defect';
}

/**
 * Runs the work, and gives the minimal answer if a defect persists.
 * @param work may run several times
 * @param bare composes the minimal answer from checked keys only; receives the name of the defect
 * @throws outside failures unchanged; a non-retryable failure if `bare` meets a defect too
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
 * Like `boundDefects`, for a submission. If even the minimal answer fails, this raises an alert, and this
 * worker does not try the submission again.
 * @param messageId id of the stored submission
 */
export async function boundSubmission<T>(
  { db, logger, workerId }: Pick<ActivityDependencies, 'db' | 'logger' | 'workerId'>,
  messageId: string,
  judge: () => Promise<T>,
  bare: (defect: string) => Promise<T>,
): Promise<T> {
  try {
    return await boundDefects(
      { logger, about: { messageId }, what: 'a submission met a defect' },
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

/** Whether `boundDefects` threw the error because even the minimal answer failed. */
export function isUnanswerable(error: unknown): boolean {
  return error instanceof ApplicationFailure && error.type === 'Defect';
}

/**
 * Logs a defect and returns its name.
 * @throws any error that is not a defect
 */
function noteDefect({ logger, about, what }: Defective, error: unknown): string {
  if (!isDefect(error)) throw error;
  const { defect, frames } = describeDefect(error);
  logger.error({ ...about, defect, frames }, what);
  return defect;
}

/**
 * The name and the top frames of a defect. Its message is left out, because it might contain a value of the
 * payment message.
 */
function describeDefect(error: unknown): { defect: string; frames: readonly string[] } {
  if (!(error instanceof Error)) return { defect: typeof error, frames: [] };
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  return { defect: error.name, frames: frames.slice(0, 5) };
}

// Milliseconds between two alerts. Every attempt finds the key missing, so alerts are limited.
const toldForMs = 10_000;
const toldAtMs = new Map<string, number>();

/**
 * Raises one alert per worker and key, until an operator closes it. The log of the worker shows which process
 * it is.
 * @param keyId undefined if the worker has no key for sealing
 */
export async function tellKeyMissing(
  { db, logger, workerId }: Pick<ActivityDependencies, 'db' | 'logger' | 'workerId'>,
  keyId: string | undefined,
): Promise<void> {
  const what = `${workerId} ${keyId ?? ''}`;
  if (performance.now() - (toldAtMs.get(what) ?? -Infinity) < toldForMs) return;
  const detail = keyId === undefined ? { workerId } : { workerId, keyId };
  const isNew = await outlast(() => alertUnlessOpen(db, { kind: 'worker.sealing-key-missing', detail }));
  toldAtMs.set(what, performance.now());
  if (isNew) logger.error(detail, 'this worker lacks a key of SEALING_KEYS');
}
