/**
 * Decides which books the gateway sends for which days, and to which receivers. Each receiver with a
 * registered address gets the book of each closed day once, beginning with the day before the registration.
 * The record shows which books were sent, so that a missed day is sent later.
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

/** A book and its receiver. */
export interface SentBook {
  readonly book: Book;
  /** Clearing system id, or the account owner's BIC (else internalId). */
  readonly party: string;
  /** The id under which the address is registered: clearing system id, or internalId of the owner. */
  readonly registeredAs: string;
  /** When the account was registered; null for the book of a payment system. */
  readonly accountSince: Date | null;
  /** When the receiver became the owner of the account; null if it was the first owner. */
  readonly ownedFrom: Date | null;
  /** When the receiver's ownership of the account ends; null if no end is set. */
  readonly ownedUntil: Date | null;
}

/** The time from which a receiver is entitled to a book, and the time up to which the book was made. */
export interface BookProgress extends Pick<SentBook, 'ownedFrom' | 'ownedUntil'> {
  /** When the receiver's address was registered, or the account if that was later. */
  readonly registeredAt: Date;
  /** The end of the last day whose pages were all made; null if no day was made yet. */
  readonly madeUntil: Date | null;
}

/** The book's key in the record: the clearing system id, or `<sapId> <accountId>`. */
export const bookKey = (book: Book): string =>
  book.of === 'account' ? `${book.sapId} ${book.accountId}` : book.clearingSystemId;

/**
 * The books of all registered receivers. An institution gets a book for each of its accounts, for each period in which
 * it owns the account.
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

/** Whether the last day that had ended by `overAt` is closed at `now`. */
export const isClosedBy = (now: Date, overAt: Date): boolean =>
  now.getTime() >= startOfDay(overAt.getTime()) + closedAfterMs;

/**
 * The first day (UTC) whose book the receiver must get: the day before the registration, even if the book is
 * made late. If the account had another owner before, it is at the earliest the first day of the receiver's
 * ownership.
 */
const firstDayOf = ({ registeredAt, ownedFrom }: BookProgress): Date =>
  new Date(Math.max(startOfDay(registeredAt.getTime()) - dayMs, ownedFrom?.getTime() ?? 0));

/**
 * Whether the receiver is entitled to the book of this period. It does not matter whether the book is made
 * yet.
 */
export const isOwed = (progress: BookProgress, { from, to }: Period): boolean =>
  from >= firstDayOf(progress) && (progress.ownedUntil === null || to <= progress.ownedUntil);

/**
 * The closed days (UTC) that are not sent yet, oldest first. They start after the last made day, or at the
 * first day that the receiver must get, but at most `longestDays` back.
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

const lateAfterMs = 3_600_000; // the schedule makes a book two minutes after the day ends

/**
 * The first day, `YYYY-MM-DD`, whose book is over an hour late; undefined if no book is late. A receiver's first book
 * is due at the end of the day of registration.
 */
export function lateDay(progress: BookProgress, now: Date): string | undefined {
  const [first] = daysToSend(progress, now);
  if (first === undefined) return undefined;
  const firstOfAll = startOfDay(progress.registeredAt.getTime()) + dayMs;
  const dueAt = progress.madeUntil === null ? Math.max(firstOfAll, first.to.getTime()) : first.to.getTime();
  return now.getTime() < dueAt + lateAfterMs ? undefined : first.from.toISOString().slice(0, 10);
}

/** A registered address to which no book can be sent. */
interface UnusableEndpoint {
  readonly registeredAs: string;
  /**
   * `unknown-party`: the registered name is neither a payment system nor the internalId of an institution.
   */
  readonly reason: 'unknown-party' | 'no-account' | 'unusable-address';
  /** The internalId, if an institution was registered by its BIC instead. */
  readonly internalId: string | null;
}

/**
 * A receiver whose ownership ended less than a day ago still counts as an owner: it gets its last book today.
 */
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
