// Builds the camt.054 pages of a book from the record: one page by its number, or all pages in order. Every
// reader gets the same page, with the data that the owner of the book may see.
import { createHash } from 'node:crypto';
import { bookKey } from '../../core/books/daily-books.ts';
import type { Camt054 } from '../../core/iso20022/camt054.ts';
import {
  camt054Of,
  entriesPerPage,
  nameOf,
  periodName,
  type Book,
  type Movement,
  type Period,
} from '../../core/books/reconciliation.ts';
import type { ReferenceData } from '../../core/scheme/reference.ts';
import type { Db } from '../pool/connection.ts';
import { readBookIndex, readMovements, type BookIndex } from './reconciliation.ts';

export interface OpenedBook {
  readonly book: Book;
  readonly period: Period;
  readonly data: ReferenceData;
}

export async function readCamt054Page(
  db: Db,
  opened: OpenedBook,
  { index, page }: { readonly index: BookIndex; readonly page: number },
): Promise<Camt054> {
  const movements: Movement[] = [];
  const { book, period } = opened;
  const part = { book, period, seesAll: book.of === 'account', isReported: true };
  const ends = { after: index.ends[page - 2], upTo: index.ends[page - 1] };
  for await (const some of readMovements(db, { ...part, ...ends })) {
    movements.push(...some.slice(0, entriesPerPage - movements.length));
    if (movements.length === entriesPerPage) break;
  }
  const { entries: totals, pages } = index;
  return camt054Of({ ...opened, totals, page, pages, id: idOf(opened) }, movements);
}

/** Yields all pages in order. Reads the movements of a page only when the caller asks for it. */
export async function* readCamt054(
  db: Db,
  opened: OpenedBook,
): AsyncIterable<{ readonly pages: number; readonly values: Camt054 }> {
  const index = await readBookIndex(db, opened.book, opened.period);
  const { pages } = index;
  for (let page = 1; page <= pages; page += 1)
    yield { pages, values: await readCamt054Page(db, opened, { index, page }) };
}

/** The notification id, unique to this book and period. Account ids can be too long for it, so they are hashed. */
function idOf({ book, period }: OpenedBook): string {
  const name = nameOf(book);
  const short =
    book.of === 'clearing-system' && name.length <= 9
      ? name
      : createHash('sha256').update(bookKey(book)).digest('hex').slice(0, 9).toUpperCase();
  return `${periodName(period)}${short}`;
}
