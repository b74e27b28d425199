/**
 * Whose the books of an account are. An account may pass to another owner, or be removed; for its books
 * it does so at the end of a day (UTC), so that each day has one owner, who alone gets and reads the book of that day.
 * An account that comes back was nobody's in between.
 */
import { startOfDay, type Period } from './reconciliation.ts';
import type { AccountOwner, BookedAccount } from '../scheme/reference.ts';

/** A time in which an account is somebody's; null: from its beginning, or until further notice. */
export interface Tenure extends Pick<AccountOwner, 'currencyCode' | 'registeredAt'> {
  readonly from: Date | null;
  readonly until: Date | null;
}

/** When an account was, is and will be an institution's, oldest first; what follows without a gap is one. */
export function tenuresOf({ owners }: BookedAccount, institutionId: string): readonly Tenure[] {
  const tenures: Tenure[] = [];
  let before: Date | null = null;
  for (const { ownerId, until, currencyCode, registeredAt } of owners) {
    const from = before === null ? null : laterOf(before, new Date(startOfDay(registeredAt.getTime())));
    if (from !== null && until !== null && until <= from) continue; // it had passed on by the end of the day
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

/** Whether all of a period is within a tenure of theirs. */
export const isOwnerIn = (account: BookedAccount, institutionId: string, period: Period): boolean =>
  tenuresOf(account, institutionId).some(
    ({ from, until }) => (from === null || period.from >= from) && (until === null || period.to <= until),
  );
