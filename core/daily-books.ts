/**
 * Which books of which days are sent, and to whom (REC-2): each day that is closed, once, to everybody who has registered
 * an address for them. What was sent is on record; a day that was missed is made up for.
 */
import {
  accountBook,
  closedAfterMs,
  dayFrom,
  dayMs,
  longestDays,
  type Book,
  type Period,
} from './reconciliation.ts';
import { fxpNameOf, type ReferenceData } from './reference.ts';

/** A book that somebody gets. */
export interface SentBook {
  readonly book: Book;
  /** Payment system, or BIC (or internalId) of the owner of the account. */
  readonly party: string;
}

/** As the record names it: a payment system; or a settlement access provider, a space, and an account there. */
export const bookKey = (book: Book): string =>
  book.of === 'account' ? `${book.sapId} ${book.accountId}` : book.clearingSystemId;

/** Of everybody who has registered an address: an institution gets a book for each of its accounts. */
export function booksToSend(data: ReferenceData): readonly SentBook[] {
  return [...data.bookEndpoints.keys()].flatMap((partyId): readonly SentBook[] => {
    const system = data.clearingSystems.get(partyId);
    if (system !== undefined) {
      const { clearingSystemId, currencyCode: currency } = system;
      return [{ book: { of: 'clearing-system', clearingSystemId, currency }, party: clearingSystemId }];
    }
    return [...data.accountsAtSap.values()]
      .filter(({ ownerId }) => ownerId === partyId)
      .flatMap(({ sapId, accountId }) => accountBook(data, sapId, accountId) ?? [])
      .map((book) => ({ book, party: fxpNameOf(data, partyId) }));
  });
}

/**
 * The closed days (UTC) that are not sent yet, oldest first: from the end of what was sent on, but no more than a month;
 * the last one only, where nothing was sent before.
 */
export function daysToSend(sentUntil: Date | undefined, now: Date): readonly Period[] {
  const end = Math.floor((now.getTime() - closedAfterMs) / dayMs) * dayMs;
  const begin = Math.max(sentUntil?.getTime() ?? end - dayMs, end - longestDays * dayMs);
  const days: Period[] = [];
  for (let from = begin; from < end; from += dayMs) {
    days.push(dayFrom(new Date(from)));
  }
  return days;
}
