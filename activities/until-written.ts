// Judges and writes a submission, and starts again if another took one of its keys before it was written: the
// database's unique keys are the authority (DUP-3), so the next try judges by what is on record by then.
import type { Written } from '../db/unless-taken.ts';
import { failure } from './failures.ts';

const maxTries = 3; // each further try means that another submission with the same keys was written first

/** @throws an expected failure, after which the workflow tries again, when the keys kept being taken */
export async function untilWritten<Judgement>(
  judgeOnce: () => Promise<Written<Judgement>>,
): Promise<Judgement> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const attempt = await judgeOnce();
    if (attempt.ok) return attempt.value;
  }
  throw failure('KeysTaken', 'the keys of a submission kept changing hands');
}
