/** Why another fault of the message prevented a check, in words. */
import type { Ends } from '../scheme/ends.ts';

const below = (path: string) => `CdtTrfTxInf/${path}`;

/** @param agent the element that another check refuses */
export const refusedItself = (agent: 'DbtrAgt' | 'CdtrAgt') =>
  `It is checked against ${below(agent)}, which is itself refused.`;

/** For checks that need the destination country, if the message names two. */
function contradictedCountry({ isContradicted }: Ends): string | undefined {
  return isContradicted
    ? `It is checked against the country of ${below('CdtrAgt')}, which ${below('ChrgsInf[2]/Agt')} contradicts.`
    : undefined;
}

/** For checks that need the destination country. */
export function countryUnknown(ends: Ends): string | undefined {
  return ends.creditorAgent === undefined ? refusedItself('CdtrAgt') : contradictedCountry(ends);
}

/** The creditor agent must be a member of a system in the destination currency, so that currency must be known. */
export function currencyUnknown(ends: Ends): string | undefined {
  const isWrong = ends.creditorAgent?.onboarded === true && ends.destinationCurrency === undefined;
  const reason = 'The destination currency is wrong, and the country has several.';
  return contradictedCountry(ends) ?? (isWrong ? reason : undefined);
}

/** For checks that need the destination system. */
export function destinationUnknown(ends: Ends): string | undefined {
  const unknown = countryUnknown(ends) ?? currencyUnknown(ends);
  return ends.destination === undefined ? (unknown ?? refusedItself('CdtrAgt')) : undefined;
}

/** The number of decimals depends on the currency. */
export function currencyWrong(paths: readonly string[]): string | undefined {
  const amounts = paths.filter((path) => !path.startsWith('AgrdRate/')).map(below);
  return amounts.length === 0 ? undefined : `The currency is wrong: ${amounts.join(', ')}.`;
}
