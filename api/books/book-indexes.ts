// What is known of whole books, kept for those that are read page by page: a closed book never changes (REC-2).
import { bookKey } from '../../core/books/daily-books.ts';
import type { Book, Period } from '../../core/books/reconciliation.ts';
import type { Db } from '../../db/pool/connection.ts';
import { readBookIndex, type BookIndex } from '../../db/books/reconciliation.ts';

const most = 16; // a book of a million payments is some 800 KB

export type BookIndexes = (book: Book, period: Period) => Promise<BookIndex>;

/** Those that were asked for last. */
export function createBookIndexes(db: Db): BookIndexes {
  const kept = new Map<string, Promise<BookIndex>>();
  return (book, period) => {
    const key = [bookKey(book), period.from.toISOString(), period.to.toISOString()].join(' ');
    const known = kept.get(key) ?? readBookIndex(db, book, period);
    kept.delete(key);
    kept.set(key, known); // the one that was asked for last stands last
    const [oldest] = kept.keys();
    if (kept.size > most && oldest !== undefined) kept.delete(oldest);
    known.catch(() => kept.delete(key));
    return known;
  };
}
