// The terms of a corridor that quotes depend on: maxima, decimal places and fees. It also checks the SAPs and
// accounts of FX providers (FX-3).
import type { Terms } from './pricing.ts';
import type { Reference, System } from './reference.ts';

/** A corridor, with the column names of the tables. */
export interface Corridor {
  readonly source_country: string;
  readonly source_currency: string;
  readonly destination_country: string;
  readonly destination_currency: string;
}

export function corridorOf(row: Corridor): string {
  return [row.source_country, row.source_currency, row.destination_country, row.destination_currency].join(
    ' ',
  );
}

/**
 * Returns the clearing system of a country and currency. If there are several, it returns the one with the
 * lowest maximum.
 */
function systemAt(reference: Reference, country: string, currency: string): System | undefined {
  return [...reference.systems.values()]
    .filter((one) => one.currency === currency && one.countries.includes(country))
    .sort((one, other) => one.maxAmount.cmp(other.maxAmount))[0];
}

/** Returns the terms for quotes in a corridor; undefined if the corridor does not exist. */
export function termsOf(reference: Reference, request: Corridor): Terms | undefined {
  const source = systemAt(reference, request.source_country, request.source_currency);
  const destination = systemAt(reference, request.destination_country, request.destination_currency);
  const schemeFee = reference.schemeFees.get(`${request.source_country} ${request.source_currency}`);
  const fee = reference.creditorAgentFees.get(
    `${request.destination_country} ${request.destination_currency}`,
  );
  const sourcePlaces = reference.decimals.get(request.source_currency);
  const destinationPlaces = reference.decimals.get(request.destination_currency);
  if (!source || !destination || !schemeFee || !fee) return undefined;
  if (sourcePlaces === undefined || destinationPlaces === undefined) return undefined;
  return {
    sourcePlaces,
    destinationPlaces,
    sourceMaximum: source.maxAmount,
    destinationMaximum: destination.maxAmount,
    schemeFee,
    creditorAgentFee: fee,
  };
}

/** Whether an FX provider has an account in this country and currency, at a SAP that it may use (FX-3). */
export function canSettle(reference: Reference, fxp: string, country: string, currency: string): boolean {
  const sap = reference.saps.get(`${fxp} ${country}`);
  return reference.accounts.some(
    (one) => one.owner === fxp && one.sap === sap && one.country === country && one.currency === currency,
  );
}
