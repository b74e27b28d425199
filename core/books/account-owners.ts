/**
 * The ownership of accounts by days. An account may pass to another owner, or be removed. For its books, either takes
 * effect at the end of the day (UTC). So each day has one owner, and only that owner gets and reads the day's book.
 * An account that was removed and registered again had no owner in between.
 */
import { startOfDay, type Period } from './reconciliation.ts';
import type { AccountOwner, BookedAccount } from '../scheme/reference.ts';

/**
 * A period during which an institution owns an account. `from` is null for the first owner; `until` is null
 * if no end is set.
 */
export interface Tenure extends Pick<AccountOwner, 'currencyCode' | 'registeredAt'> {
  readonly from: Date | null;
  readonly until: Date | null;
}

/**
 * The periods in which an institution owns the account, past, present and future, oldest first. Adjoining
 * periods are merged.
 */
export function tenuresOf({ owners }: BookedAccount, institutionId: string): readonly Tenure[] {
  const tenures: Tenure[] = [];
  let before: Date | null = null;
  for (const { ownerId, until, currencyCode, registeredAt } of owners) {
    const from = before === null ? null : laterOf(before, new Date(startOfDay(registeredAt.getTime())));
    if (from !== null && until !== null && until <= from) continue; // passed on again before the end of its first day
    if (ownerId === institutionId) {
      const last = tenures.at(-1);
      const goesOn = last?.until?.getTime() === from?.getTime() && last?.currencyCode === currencyCode;
      if (goesOn) tenures.pop();
      const begun = goesOn ? last : { from, registeredAt };
      tenures.push({ from: begun.from, until, currencyCode, registeredAt: begun.registeredAt });
    }
    before = until;
  }
  return tenures;
}

const laterOf = (one: Date, other: Date): Date => (one > other ? one : other);

/** Whether the institution owned the account during the whole period. */
export const isOwnerIn = (account: BookedAccount, institutionId: string, period: Period): boolean =>
  tenuresOf(account, institutionId).some(
    ({ from, until }) => (from === null || period.from >= from) && (until === null || period.to <= until),
  );
