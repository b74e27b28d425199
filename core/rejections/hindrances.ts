/** Explains why a fault elsewhere in the message prevents a check. */
import type { Ends } from '../scheme/ends.ts';

const below = (path: string) => `CdtTrfTxInf/${path}`;

/** @param agent the element that another check refuses */
export const refusedItself = (agent: 'DbtrAgt' | 'CdtrAgt') =>
  `It is checked against ${below(agent)}, which is itself refused.`;

/**
 * Why a check that needs the destination country cannot run: the message names two contradictory countries.
 */
function contradictedCountry({ isContradicted }: Ends): string | undefined {
  return isContradicted
    ? `It is checked against the country of ${below('CdtrAgt')}, which ${below('ChrgsInf[2]/Agt')} contradicts.`
    : undefined;
}

/** Why a check that needs the destination country cannot run; undefined if it can. */
export function countryUnknown(ends: Ends): string | undefined {
  return ends.creditorAgent === undefined ? refusedItself('CdtrAgt') : contradictedCountry(ends);
}

/**
 * Why a check that needs the destination currency cannot run; undefined if it can. The creditor agent must
 * belong to a payment system of that currency.
 */
export function currencyUnknown(ends: Ends): string | undefined {
  const isWrong = ends.creditorAgent?.onboarded === true && ends.destinationCurrency === undefined;
  const reason = 'The destination currency is wrong, and the country has several.';
  return contradictedCountry(ends) ?? (isWrong ? reason : undefined);
}

/** Why a check that needs the destination system cannot run; undefined if it can. */
export function destinationUnknown(ends: Ends): string | undefined {
  const unknown = countryUnknown(ends) ?? currencyUnknown(ends);
  return ends.destination === undefined ? (unknown ?? refusedItself('CdtrAgt')) : undefined;
}

/**
 * Why the number of decimals of these amounts cannot be checked: it depends on the currency, which is wrong.
 */
export function currencyWrong(paths: readonly string[]): string | undefined {
  const amounts = paths.filter((path) => !path.startsWith('AgrdRate/')).map(below);
  return amounts.length === 0 ? undefined : `The currency is wrong: ${amounts.join(', ')}.`;
}
