// The books that are owed, and how far each is (REC-2).
import { bookKey, booksToSend, type BookProgress, type SentBook } from '../core/daily-books.ts';
import { readBookProgress } from '../db/book-pages.ts';
import type { ActivityDependencies } from './dependencies.ts';

export interface OwedBook extends SentBook {
  readonly progress: BookProgress;
  /** Database clock. */
  readonly now: Date;
}

export async function progressOfBooks(
  deps: Pick<ActivityDependencies, 'db' | 'reference'>,
): Promise<readonly OwedBook[]> {
  const books = booksToSend(deps.reference());
  const { now, of } = await readBookProgress(deps.db, books);
  return books.flatMap((one) => {
    const progress = of.get(bookKey(one.book));
    return progress === undefined ? [] : [{ ...one, progress, now }];
  });
}
