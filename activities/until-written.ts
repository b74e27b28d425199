// Judges and writes a submission, anew where another took one of its keys before it was written: the database's unique keys
// are the authority (DUP-3), so that what is on record by then is judged by.
import { refused, type Result } from '../core/result.ts';
import { failure } from './failures.ts';

/** What came of one try: the judgement that was written, or that another submission took a key meanwhile. */
export type Attempt<Judgement> = Result<Judgement, 'keys-taken'>;

/** Nothing was written. */
export const keysTaken = refused('keys-taken' as const);

const maxTries = 3; // each further try means that another submission of the same keys was written meanwhile

/** @throws an expected failure, after which the engine tries again, when the keys kept being taken */
export async function untilWritten<Judgement>(
  judgeOnce: () => Promise<Attempt<Judgement>>,
): Promise<Judgement> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const attempt = await judgeOnce();
    if (attempt.ok) return attempt.value;
  }
  throw failure('KeysTaken', 'the keys of a submission kept changing hands');
}
