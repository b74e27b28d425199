// A defect of ours while a message is judged ends in an answer (SEC-9): it is tried three times, for it may have been the
// moment, and then told in the barest way. What is no defect is thrown on: the world may answer later.
import type { Logger } from 'pino';
import { failure, isDefect } from './failures.ts';

const maxTries = 3; // SEC-9

/**
 * @param judge may be repeated as a whole
 * @param bare what is answered instead, built from nothing but keys that were checked; it is told the kind of the defect
 * @throws what the world did not answer; where `bare` is a defect too, a failure that nobody repeats at once
 */
export async function boundDefects<T>(
  logger: Logger,
  judge: () => Promise<T>,
  bare: (defect: string) => Promise<T>,
): Promise<T> {
  let defect = '';
  for (let tries = 1; tries <= maxTries; tries += 1) {
    try {
      return await judge();
    } catch (error) {
      defect = noteDefect(logger, error);
    }
  }
  try {
    return await bare(defect);
  } catch (error) {
    throw failure('Defect', `a message could be answered in no way: ${noteDefect(logger, error)}`);
  }
}

/** @throws what is no defect */
function noteDefect(logger: Logger, error: unknown): string {
  if (!isDefect(error)) throw error;
  const { defect, frames } = describeDefect(error);
  logger.error({ defect, frames }, 'a message could not be judged');
  return defect;
}

/** Its kind and where it was; never its text, which might hold a value of the message (SEC-3). */
function describeDefect(error: unknown): { defect: string; frames: readonly string[] } {
  if (!(error instanceof Error)) return { defect: typeof error, frames: [] };
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  return { defect: error.name, frames: frames.slice(0, 5) };
}
