/**
 * Checks everything that determines amounts: currencies, limits, fee formulas, corridors and opening prices.
 * check.ts calls these checks.
 */
import { creditorAgentFee, feeOn, settlementForCredited } from '../money/fee.ts';
import { exact, fitsDecimalPlaces, renderDecimal, unitOf } from '../money/money.ts';
import type {
  CorridorDocument,
  CurrencyDocument,
  FeeFormulaDocument,
  InstitutionDocument,
  Scheme,
} from './documents.ts';
import { findingsOf, repeated, systemsFor, unknown, type Finding, type Findings } from './finding.ts';

/** A numeric ISO code may belong to only one country or currency. */
export function* checkNumbers({ countries, currencies }: Scheme): Iterable<Finding> {
  for (const [first, ...others] of repeated(countries.values(), ({ countryId }) => String(countryId))) {
    for (const { countryCode, countryId } of others) {
      yield findingsOf('countries', countryCode).error(
        '/countryId',
        `is ${countryId}, which ${first?.countryCode ?? ''} has, too (ISO 3166 numeric).`,
      );
    }
  }
  for (const [first, ...others] of repeated(currencies.values(), ({ currencyId }) => String(currencyId))) {
    for (const { currencyCode, currencyId } of others) {
      yield findingsOf('currencies', currencyCode).error(
        '/currencyId',
        `is ${currencyId}, which ${first?.currencyCode ?? ''} has, too (ISO 4217 numeric).`,
      );
    }
  }
}

export function* checkLimits(scheme: Scheme): Iterable<Finding> {
  for (const [id, { maxAmount, currencyCode }] of scheme['clearing-systems']) {
    const currency = scheme.currencies.get(currencyCode);
    if (currency === undefined) continue;
    if (!fitsDecimalPlaces(maxAmount, currency.decimalPlaces)) {
      const says = `has more than the ${currency.decimalPlaces} decimals of ${currencyCode}.`;
      yield findingsOf('clearing-systems', id).error('/maxAmount', says);
    }
  }
}

export function* checkFees(scheme: Scheme): Iterable<Finding> {
  for (const [id, formula] of scheme['fee-formulas']) {
    const found = findingsOf('fee-formulas', id);
    const { countryCode, currencyCode } = formula;
    const currency = scheme.currencies.get(currencyCode);
    if (!scheme.countries.has(countryCode))
      yield found.error('/countryCode', unknown('country', countryCode));
    if (currency === undefined) {
      yield found.error('/currencyCode', unknown('currency', currencyCode));
      continue;
    }
    const systems = systemsFor(scheme, countryCode, currencyCode);
    yield* checkFeeSize(formula, currency, { found, largest: systems.map(({ maxAmount }) => maxAmount) });
  }
}

/** A fee must leave a part of the payment to credit. */
function* checkFeeSize(
  { creditorAgentFee: creditor, currencyCode }: FeeFormulaDocument,
  { decimalPlaces }: CurrencyDocument,
  { found, largest }: { readonly found: Findings; readonly largest: readonly string[] },
): Iterable<Finding> {
  const fee = creditorAgentFee(
    { nominalFee: creditor.nominalFeeAmount, percentageFee: creditor.percentageFee },
    decimalPlaces,
  );
  const smallest = settlementForCredited(unitOf(decimalPlaces), fee);
  if (largest.some((amount) => exact(amount).lte(feeOn(exact(amount), fee)))) {
    yield found.error(
      '/creditorAgentFee',
      'is more than the largest payment: nothing could ever be credited (FEE-5).',
    );
  } else if (smallest.gt(unitOf(decimalPlaces))) {
    yield found.warning(
      '/creditorAgentFee',
      `leaves nothing of a payment below ${renderDecimal(smallest)} ${currencyCode} (FEE-5).`,
    );
  }
}

export function* checkCorridors(scheme: Scheme): Iterable<Finding> {
  for (const [id, institution] of scheme.institutions) {
    const found = findingsOf('institutions', id);
    const isFxp = institution.roles.includes('fxp');
    if (!isFxp && institution.corridors.length > 0) {
      yield found.error('/corridors', 'are for FX providers: it has not the role fxp.');
    }
    if (!isFxp && institution.settlementAccess.length > 0) {
      yield found.error('/settlementAccess', 'is for FX providers: it has not the role fxp.');
    }
    for (const [place, { sapId, countryCode }] of institution.settlementAccess.entries()) {
      const sap = scheme.institutions.get(sapId);
      if (!scheme.countries.has(countryCode))
        yield found.error(`/settlementAccess/${place}/countryCode`, unknown('country', countryCode));
      if (sap?.roles.includes('sap') !== true) {
        yield found.error(
          `/settlementAccess/${place}/sapId`,
          `names ${sapId}, which is no institution with the role sap.`,
        );
      }
    }
    for (const [place, corridor] of institution.corridors.entries()) {
      yield* checkCorridor(scheme, institution, { corridor, found, path: `/corridors/${place}` });
    }
  }
}

function* checkCorridor(
  scheme: Scheme,
  fxp: InstitutionDocument,
  {
    corridor,
    found,
    path,
  }: { readonly corridor: CorridorDocument; readonly found: Findings; readonly path: string },
): Iterable<Finding> {
  const { sourceCountry, sourceCurrency, destinationCountry, destinationCurrency } = corridor;
  if (sourceCurrency === destinationCurrency) {
    yield found.error(path, `is ${sourceCurrency} to itself: the same currency needs no rate (FX-2).`);
  }
  for (const [country, currency] of [
    [sourceCountry, sourceCurrency],
    [destinationCountry, destinationCurrency],
  ] as const) {
    if (systemsFor(scheme, country, currency).length === 0) {
      yield found.error(path, `has ${currency} in ${country}, which no payment system serves.`);
    } else {
      const lack = lackOf(scheme, fxp, { country, currency });
      if (lack !== undefined) yield found.warning(path, `cannot be used: ${lack} (FX-3).`);
    }
  }
}

/** Why an FX provider cannot settle in this country and currency; undefined if it can. */
export function lackOf(
  scheme: Scheme,
  fxp: InstitutionDocument,
  { country, currency }: { readonly country: string; readonly currency: string },
): string | undefined {
  const access = fxp.settlementAccess.find((one) => one.countryCode === country);
  if (access === undefined) return `${fxp.institutionId} has nominated no SAP in ${country}`;
  if (!access.validated)
    return `the access of ${fxp.institutionId} to ${access.sapId} in ${country} is not validated`;
  const has = [...scheme['settlement-accounts'].values()].some(
    (one) =>
      one.ownerId === fxp.institutionId &&
      one.sapId === access.sapId &&
      one.countryCode === country &&
      one.currencyCode === currency,
  );
  return has ? undefined : `${fxp.institutionId} has no account at ${access.sapId} in ${currency}`;
}

export function* checkPrices(scheme: Scheme): Iterable<Finding> {
  for (const [id, { baseRates, tierImprovements, pspImprovements }] of scheme['fx-prices']) {
    const found = findingsOf('fx-prices', id);
    const fxp = scheme.institutions.get(id);
    if (fxp?.roles.includes('fxp') !== true) {
      yield found.error('/fxpId', `names ${id}, which is no institution with the role fxp.`);
      continue;
    }
    const setUp = new Set(fxp.corridors.map(keyOfCorridor));
    for (const [place, rate] of baseRates.entries()) {
      if (!setUp.has(keyOfCorridor(rate))) {
        yield found.error(`/baseRates/${place}`, `is for a corridor that ${id} is not set up for (FX-3).`);
      }
    }
    for (const [place, { unitCurrency }] of tierImprovements.entries()) {
      if (!scheme.currencies.has(unitCurrency))
        yield found.error(`/tierImprovements/${place}`, unknown('currency', unitCurrency));
    }
    for (const [place, { pspId }] of pspImprovements.entries()) {
      if (!scheme.institutions.has(pspId))
        yield found.error(`/pspImprovements/${place}`, unknown('institution', pspId));
    }
  }
}

const keyOfCorridor = (one: CorridorDocument): string =>
  [one.sourceCountry, one.sourceCurrency, one.destinationCountry, one.destinationCurrency].join(' ');
