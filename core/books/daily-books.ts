/**
 * Which books of which days are sent, and to whom: each day that is closed, once, to everybody who has
 * registered an address for them, from the day before that on. What was sent is on record; a day that was missed is
 * made up for.
 */
import { tenuresOf } from './account-owners.ts';
import {
  closedAfterMs,
  dayFrom,
  dayMs,
  longestDays,
  startOfDay,
  type Book,
  type Period,
} from './reconciliation.ts';
import { refuseEndpoint } from '../deliveries/callback-address.ts';
import { fxpNameOf, institutionNamed, type ReferenceData } from '../scheme/reference.ts';
import type { WebAddressPolicy } from '../deliveries/web-address.ts';

/** A book that somebody gets. */
export interface SentBook {
  readonly book: Book;
  /** Payment system, or BIC (or internalId) of the owner of the account. */
  readonly party: string;
  /** The id that the address is registered under: payment system, or internalId of the owner. */
  readonly registeredAs: string;
  /** Of an account: since when it was there. Null: a payment system's. */
  readonly accountSince: Date | null;
  /** Of an account: since when it is theirs. Null: from its beginning. */
  readonly ownedFrom: Date | null;
  /** Of an account: until when it is theirs. Null: until further notice. */
  readonly ownedUntil: Date | null;
}

/** Since when a book is owed, and how much of it was made. */
export interface BookProgress extends Pick<SentBook, 'ownedFrom' | 'ownedUntil'> {
  /** When its receiver's address was registered, or the account, if that was later. */
  readonly registeredAt: Date;
  /** The end of the last day that is theirs and of which all pages were made; null: none yet. */
  readonly madeUntil: Date | null;
}

/** As the record names it: a payment system; or a settlement access provider, a space, and an account there. */
export const bookKey = (book: Book): string =>
  book.of === 'account' ? `${book.sapId} ${book.accountId}` : book.clearingSystemId;

/**
 * For everybody who has registered an address. An institution gets a book for each of its accounts, for the days on
 * which the account is its own.
 */
export function booksToSend(data: ReferenceData): readonly SentBook[] {
  return [...data.bookEndpoints.keys()].flatMap((partyId): readonly SentBook[] => {
    const system = data.clearingSystems.get(partyId);
    if (system !== undefined) {
      const { clearingSystemId, currencyCode: currency } = system;
      const book = { of: 'clearing-system', clearingSystemId, currency } as const;
      const always = { accountSince: null, ownedFrom: null, ownedUntil: null };
      return [{ book, party: clearingSystemId, registeredAs: partyId, ...always }];
    }
    const to = { party: fxpNameOf(data, partyId), registeredAs: partyId };
    return [...data.bookedAccounts.values()].flatMap((account) => {
      const { sapId, accountId } = account;
      return tenuresOf(account, partyId).map(({ from, until, currencyCode: currency, registeredAt }) => ({
        book: { of: 'account', sapId, accountId, currency } as const,
        ...to,
        accountSince: registeredAt,
        ownedFrom: from,
        ownedUntil: until,
      }));
    });
  });
}

/** Whether, at `now`, the last day that was over at another moment is closed. */
export const isClosedBy = (now: Date, overAt: Date): boolean =>
  now.getTime() >= startOfDay(overAt.getTime()) + closedAfterMs;

/**
 * The day (UTC) of the first book: the last one that was over when it was registered, whenever it is made; of an
 * account that was another's, the first that is theirs.
 */
const firstDayOf = ({ registeredAt, ownedFrom }: BookProgress): Date =>
  new Date(Math.max(startOfDay(registeredAt.getTime()) - dayMs, ownedFrom?.getTime() ?? 0));

/** Whether the book of a day is, or was, owed. */
export const isOwed = (progress: BookProgress, { from, to }: Period): boolean =>
  from >= firstDayOf(progress) && (progress.ownedUntil === null || to <= progress.ownedUntil);

/**
 * The closed days (UTC) that are not sent yet, oldest first: from the end of what was made on, or from the first day
 * that is owed, but no more than a month.
 */
export function daysToSend(progress: BookProgress, now: Date): readonly Period[] {
  const end = startOfDay(now.getTime() - closedAfterMs);
  const begin = Math.max((progress.madeUntil ?? firstDayOf(progress)).getTime(), end - longestDays * dayMs);
  const last = Math.min(end, progress.ownedUntil?.getTime() ?? end);
  const days: Period[] = [];
  for (let from = begin; from < last; from += dayMs) {
    days.push(dayFrom(new Date(from)));
  }
  return days;
}

const lateAfterMs = 3_600_000; // the schedule makes them two minutes after the day

/**
 * The first day, `YYYY-MM-DD`, whose book should have been made an hour ago; undefined: none. The first book of all is
 * made at the end of the day of its registration.
 */
export function lateDay(progress: BookProgress, now: Date): string | undefined {
  const [first] = daysToSend(progress, now);
  if (first === undefined) return undefined;
  const firstOfAll = startOfDay(progress.registeredAt.getTime()) + dayMs;
  const dueAt = progress.madeUntil === null ? Math.max(firstOfAll, first.to.getTime()) : first.to.getTime();
  return now.getTime() < dueAt + lateAfterMs ? undefined : first.from.toISOString().slice(0, 10);
}

/** An address that is registered, and that no book goes to. */
interface UnusableEndpoint {
  readonly registeredAs: string;
  /** `unknown-party`: neither a payment system nor the internalId of an institution. */
  readonly reason: 'unknown-party' | 'no-account' | 'unusable-address';
  /** Of the institution that was named by its BIC. */
  readonly internalId: string | null;
}

/** Who had an account until yesterday gets the last book of it today. */
export function unusableEndpoints(
  data: ReferenceData,
  policy: WebAddressPolicy,
  now: Date,
): readonly UnusableEndpoint[] {
  const served = new Set(
    booksToSend(data)
      .filter(({ ownedUntil }) => ownedUntil === null || now.getTime() < ownedUntil.getTime() + dayMs)
      .map(({ registeredAs }) => registeredAs),
  );
  return [...data.bookEndpoints].flatMap(([registeredAs, url]): readonly UnusableEndpoint[] => {
    const isUsable = refuseEndpoint(url, policy) === undefined;
    if (served.has(registeredAs) && isUsable) return [];
    const meant = institutionNamed(data, registeredAs)?.institutionId ?? null;
    if (served.has(registeredAs)) return [{ registeredAs, reason: 'unusable-address', internalId: null }];
    return meant === registeredAs
      ? [{ registeredAs, reason: 'no-account', internalId: null }]
      : [{ registeredAs, reason: 'unknown-party', internalId: meant }];
  });
}
