/** Why a check could not be made because of another fault of the message, in words (MSG-14). */
import type { Ends } from './ends.ts';

const below = (path: string) => `CdtTrfTxInf/${path}`;

/** @param agent the element that another check refuses */
export const refusedItself = (agent: 'DbtrAgt' | 'CdtrAgt') =>
  `It is held against ${below(agent)}, which is refused itself.`;

/** What needs the destination country, where the message speaks of two. */
function contradictedCountry({ isContradicted }: Ends): string | undefined {
  return isContradicted
    ? `It is held against the country of ${below('CdtrAgt')}, which ${below('ChrgsInf[2]/Agt')} contradicts.`
    : undefined;
}

/** What needs to know the destination country. */
export function countryUnknown(ends: Ends): string | undefined {
  return ends.creditorAgent === undefined ? refusedItself('CdtrAgt') : contradictedCountry(ends);
}

/** Whether the creditor agent is a member of a system is asked of the one in the destination currency. */
export function currencyUnknown(ends: Ends): string | undefined {
  const isWrong = ends.creditorAgent?.onboarded === true && ends.destinationCurrency === undefined;
  const reason = 'The destination currency is wrong, and the country has several.';
  return contradictedCountry(ends) ?? (isWrong ? reason : undefined);
}

/** Decimals are those of a currency. */
export function currencyWrong(paths: readonly string[]): string | undefined {
  const amounts = paths.filter((path) => !path.startsWith('AgrdRate/')).map(below);
  return amounts.length === 0 ? undefined : `The currency is wrong: ${amounts.join(', ')}.`;
}
