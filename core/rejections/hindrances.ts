/** Explains why a fault elsewhere in the message prevents a check. */
import type { Ends } from '../scheme/ends.ts';

const below = (path: string) => `CdtTrfTxInf/${path}`;

/** @param agent the element that another check refuses */
export const refusedItself = (agent: 'DbtrAgt' | 'CdtrAgt') =>
  `It is checked against ${below(agent)}, which is itself refused.`;

/**
 * For checks that need the destination country: a message may name two countries that contradict each other.
 */
function contradictedCountry({ isContradicted }: Ends): string | undefined {
  return isContradicted
    ? `It is checked against the country of ${below('CdtrAgt')}, which ${below('ChrgsInf[2]/Agt')} contradicts.`
    : undefined;
}

/** For checks that need the destination country. */
export function countryUnknown(ends: Ends): string | undefined {
  return ends.creditorAgent === undefined ? refusedItself('CdtrAgt') : contradictedCountry(ends);
}

/**
 * For checks that need the destination currency: the creditor agent must belong to a payment system of that currency.
 */
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

/** For the check of decimals: the currency determines their number. */
export function currencyWrong(paths: readonly string[]): string | undefined {
  const amounts = paths.filter((path) => !path.startsWith('AgrdRate/')).map(below);
  return amounts.length === 0 ? undefined : `The currency is wrong: ${amounts.join(', ')}.`;
}
