/**
 * Whose the books of an account are (REC-1, SEC-1). An account may pass to another owner; it does so at the end of a day (UTC),
 * for its books, so that each day has one owner: whoever had it then, and nobody else, gets that day and reads it.
 */
import type { Period } from './reconciliation.ts';
import type { SettlementAccount } from './reference.ts';

/** A time in which an account is somebody's; null: from its beginning, or until further notice. */
export interface Tenure {
  readonly from: Date | null;
  readonly until: Date | null;
}

/** When an account was, is and will be an institution's, oldest first; what follows without a gap is one. */
export function tenuresOf(
  { ownerId, formerOwners }: SettlementAccount,
  institutionId: string,
): readonly Tenure[] {
  const tenures: Tenure[] = [];
  let from: Date | null = null;
  for (const owner of [...formerOwners, { ownerId, until: null }]) {
    const { until }: Pick<Tenure, 'until'> = owner;
    if (from !== null && until !== null && until <= from) continue; // it had passed on by the end of the day
    if (owner.ownerId === institutionId) {
      const last = tenures.at(-1);
      const goesOn = last !== undefined && last.until?.getTime() === from?.getTime();
      if (goesOn) tenures.pop();
      tenures.push({ from: goesOn ? last.from : from, until });
    }
    from = until;
  }
  return tenures;
}

/** Whether all of a period is within a tenure of theirs. */
export const isOwnerIn = (account: SettlementAccount, institutionId: string, period: Period): boolean =>
  tenuresOf(account, institutionId).some(
    ({ from, until }) => (from === null || period.from >= from) && (until === null || period.to <= until),
  );
