/**
 * Finds a corridor: two places, their fees and maxima, and the FX providers that can settle between them.
 * Every quote, rate (FX-1) and fee belongs to one corridor. This file caches corridors, so it reads no rates:
 * they must never be cached. `api/http/problems/told.ts` turns the refusals into texts.
 */
import type { AmountSide, CreditorAgentFeeFormula, SchemeFeeFormula } from '../money/fee.ts';
import { exact, fitsDecimalPlaces } from '../money/money.ts';
import {
  clearingSystemsOf,
  currenciesOf,
  keyOf,
  mainIdentifier,
  type ClearingSystem,
  type Currency,
  type Institution,
  type Membership,
  type ReferenceData,
} from '../scheme/reference.ts';
import { ok, refused, type Result } from '../result.ts';

export interface CorridorKey {
  readonly sourceCountry: string;
  readonly sourceCurrency: string;
  readonly destinationCountry: string;
  readonly destinationCurrency: string;
}

/** The key as text, e.g. `SG SGD TH THB`. */
export function corridorName(key: CorridorKey): string {
  return keyOf(key.sourceCountry, key.sourceCurrency, key.destinationCountry, key.destinationCurrency);
}

export function corridorKeyOf({
  sourceCountry,
  sourceCurrency,
  destinationCountry,
  destinationCurrency,
}: CorridorKey): CorridorKey {
  return { sourceCountry, sourceCurrency, destinationCountry, destinationCurrency };
}

/** Names the countries of a corridor in records, lists and metrics, e.g. `SG-TH`. */
export const countryPairPattern = /^[A-Z]{2}-[A-Z]{2}$/;

export function countryPair(key: Pick<CorridorKey, 'sourceCountry' | 'destinationCountry'>): string {
  return `${key.sourceCountry}-${key.destinationCountry}`;
}

/** A country with one of its currencies. */
export interface Place {
  readonly countryCode: string;
  readonly currency: Currency;
  /**
   * The payment system of the place. If several use the currency, it is the one with the lowest maximum
   * amount.
   */
  readonly clearingSystem: ClearingSystem;
}

/** The SAP and the account by which an FX provider settles on one side. */
export interface SettlementPlace {
  readonly sap: Institution;
  readonly sapBic: string;
  /** The SAP's membership in the payment system of that place. */
  readonly membership: Membership | undefined;
  readonly accountId: string;
}

/** An FX provider that is set up for the corridor and can settle both sides. */
export interface CorridorFxp {
  readonly institution: Institution;
  readonly idType: string;
  /** The identifier that PSPs see; it also breaks ties in the ranking of quotes. */
  readonly id: string;
  readonly source: SettlementPlace;
  readonly destination: SettlementPlace;
}

export interface Corridor {
  readonly key: CorridorKey;
  readonly source: Place;
  readonly destination: Place;
  readonly schemeFee: SchemeFeeFormula;
  readonly creditorAgentFee: CreditorAgentFeeFormula;
  /** Keyed by internalId. */
  readonly fxps: ReadonlyMap<string, CorridorFxp>;
  /**
   * Whether any FX provider is set up for the corridor, even one that cannot settle. Without one there are no rates.
   */
  readonly isRated: boolean;
}

/** Why the service does not know a country or a currency, or does not use the currency in the country. */
export type PlaceRefusal =
  | { readonly code: 'unknown-country'; readonly countryCode: string }
  | { readonly code: 'unknown-currency'; readonly currencyCode: string }
  | {
      readonly code: 'currency-not-of-country';
      readonly countryCode: string;
      readonly currencyCode: string;
      /** The currencies that the service uses in that country. */
      readonly used: readonly string[];
    };

/** A place that the service does not serve, and its side of the corridor. */
export type EndRefusal = PlaceRefusal & { readonly side: AmountSide };

/** Why the service has no such corridor. */
export type CorridorRefusal =
  | EndRefusal
  | {
      readonly code: 'unknown-corridor';
      readonly key: CorridorKey;
      readonly lacks: 'two countries' | 'FX provider';
    };

/** FX-2, FX-3: a reason why an FX provider may not post a rate. */
export type RateRefusal =
  | { readonly code: 'same-currency-corridor'; readonly currency: string }
  | { readonly code: 'corridor-not-set-up'; readonly end?: EndRefusal }
  | { readonly code: 'source-sap-not-validated' | 'destination-sap-not-validated' };

/** Why an amount does not fit the corridor. */
export type AmountRefusal =
  | { readonly code: 'amount-currency-not-of-corridor'; readonly currency: string; readonly key: CorridorKey }
  | { readonly code: 'too-many-decimals'; readonly amount: string; readonly currency: Currency };

type Found = Result<Corridor, CorridorRefusal>;

const corridorsOfSnapshot = new WeakMap<ReferenceData, Map<string, Found>>();

/**
 * Finds the corridor, which is computed once per snapshot of the reference data. Refuses if a place is unknown, if both
 * places are in one country, or if a fee formula is missing.
 */
export function findCorridor(data: ReferenceData, key: CorridorKey): Found {
  let known = corridorsOfSnapshot.get(data);
  if (known === undefined) corridorsOfSnapshot.set(data, (known = new Map<string, Found>()));
  const name = corridorName(key);
  const found = known.get(name);
  if (found !== undefined) return found;
  const made = makeCorridor(data, key);
  if (made.ok) known.set(name, made); // refusals are not cached, because there are unlimited possible keys
  return made;
}

/** Like `findCorridor`, but also refuses if no FX provider is set up. Quotes and rates need one. */
export function findRatedCorridor(data: ReferenceData, key: CorridorKey): Found {
  const found = findCorridor(data, key);
  if (!found.ok || found.value.isRated) return found;
  return refused({ code: 'unknown-corridor', key: found.value.key, lacks: 'FX provider' });
}

/**
 * FX-2, FX-3: the first reason why an FX provider may not post a rate for a corridor; undefined if it may.
 */
export function findRateFault(data: ReferenceData, fxpId: string, key: CorridorKey): RateRefusal | undefined {
  if (key.sourceCurrency === key.destinationCurrency) {
    return { code: 'same-currency-corridor', currency: key.sourceCurrency };
  }
  const ends = findEnds(data, key);
  if (!ends.ok) return { code: 'corridor-not-set-up', end: ends.refusal };
  if (!isSetUp(data, fxpId, key)) return { code: 'corridor-not-set-up' };
  const { source, destination } = ends.value;
  if (settlementPlaceOf(data, fxpId, source) === undefined) return { code: 'source-sap-not-validated' };
  return settlementPlaceOf(data, fxpId, destination) === undefined
    ? { code: 'destination-sap-not-validated' }
    : undefined;
}

/** Finds the place for a country and a currency. */
export function findPlace(
  data: ReferenceData,
  { countryCode, currencyCode }: { readonly countryCode: string; readonly currencyCode: string },
): Result<Place, PlaceRefusal> {
  if (!data.countries.has(countryCode)) return refused({ code: 'unknown-country', countryCode });
  const currency = data.currencies.get(currencyCode);
  if (currency === undefined) return refused({ code: 'unknown-currency', currencyCode });
  const [clearingSystem] = [...clearingSystemsOf(data, countryCode, currencyCode)].sort((a, b) =>
    exact(a.maxAmount).cmp(exact(b.maxAmount)),
  );
  if (clearingSystem !== undefined) return ok({ countryCode, currency, clearingSystem });
  const used = [...currenciesOf(data, countryCode)].sort();
  return refused({ code: 'currency-not-of-country', countryCode, currencyCode, used });
}

/**
 * An amount, and the side of the corridor that has its currency. It is the source if both sides have that
 * currency.
 */
export interface FixedAmount {
  readonly amountSide: AmountSide;
  /** A well-formed amount with no more decimals than its currency has. */
  readonly amount: string;
}

/** The side of the corridor with this currency; the source if both sides have it. */
function sideOf({ source, destination }: Corridor, currency: string): 'source' | 'destination' | undefined {
  if (source.currency.currencyCode === currency) return 'source';
  return destination.currency.currencyCode === currency ? 'destination' : undefined;
}

/** @param asked a well-formed amount */
export function fixAmount(
  corridor: Corridor,
  asked: { readonly amountCurrency: string; readonly amount: string },
): Result<FixedAmount, AmountRefusal> {
  const { amountCurrency, amount } = asked;
  const side = sideOf(corridor, amountCurrency);
  if (side === undefined) {
    const { key } = corridor;
    return refused({ code: 'amount-currency-not-of-corridor', currency: amountCurrency, key });
  }
  const { currency } = corridor[side];
  return fitsDecimalPlaces(amount, currency.decimalPlaces)
    ? ok({ amountSide: side, amount })
    : refused({ code: 'too-many-decimals', amount, currency });
}

function makeCorridor(data: ReferenceData, asked: CorridorKey): Found {
  const { sourceCountry, sourceCurrency, destinationCountry, destinationCurrency } = asked;
  const key = corridorKeyOf(asked); // drops any other properties
  const ends = findEnds(data, key);
  if (!ends.ok) return ends;
  const schemeFee = data.schemeFeeFormulas.get(keyOf(sourceCountry, sourceCurrency));
  const creditorAgentFee = data.creditorAgentFeeFormulas.get(keyOf(destinationCountry, destinationCurrency));
  if (sourceCountry === destinationCountry || schemeFee === undefined || creditorAgentFee === undefined) {
    return refused({ code: 'unknown-corridor', key, lacks: 'two countries' });
  }
  const setUp = [...data.institutions.values()].filter((one) => isSetUp(data, one.institutionId, key));
  const fxps = new Map<string, CorridorFxp>();
  for (const institution of setUp) {
    const fxp = fxpOf(data, institution, ends.value);
    const isPaused = data.paused.has(institution.institutionId);
    if (fxp !== undefined && !isPaused) fxps.set(institution.institutionId, fxp);
  }
  return ok({ key, ...ends.value, schemeFee, creditorAgentFee, fxps, isRated: setUp.length > 0 });
}

interface Ends {
  readonly source: Place;
  readonly destination: Place;
}

function findEnds(data: ReferenceData, key: CorridorKey): Result<Ends, EndRefusal> {
  const source = findPlace(data, { countryCode: key.sourceCountry, currencyCode: key.sourceCurrency });
  if (!source.ok) return refused({ ...source.refusal, side: 'source' });
  const destination = findPlace(data, {
    countryCode: key.destinationCountry,
    currencyCode: key.destinationCurrency,
  });
  if (!destination.ok) return refused({ ...destination.refusal, side: 'destination' });
  return ok({ source: source.value, destination: destination.value });
}

/** Whether the FX provider may post rates for the corridor. */
function isSetUp(data: ReferenceData, fxpId: string, key: CorridorKey): boolean {
  return data.fxpCorridors.has(keyOf(fxpId, corridorName(key)));
}

function fxpOf(data: ReferenceData, institution: Institution, ends: Ends): CorridorFxp | undefined {
  const source = settlementPlaceOf(data, institution.institutionId, ends.source);
  const destination = settlementPlaceOf(data, institution.institutionId, ends.destination);
  if (source === undefined || destination === undefined) return undefined;
  const { type, value } = mainIdentifier(institution);
  return { institution, idType: type, id: value, source, destination };
}

/** The FX provider's nominated and validated SAP at a place, with its account there; undefined if any is missing. */
function settlementPlaceOf(data: ReferenceData, fxpId: string, place: Place): SettlementPlace | undefined {
  const { countryCode, currency, clearingSystem } = place;
  const access = data.settlementAccess.get(keyOf(fxpId, countryCode));
  if (access?.validated !== true) return undefined;
  const sap = data.institutions.get(access.sapId);
  const sapBic = sap?.bics[0];
  const account = data.accountsOfOwner
    .get(keyOf(fxpId, countryCode, currency.currencyCode))
    ?.find((one) => one.sapId === access.sapId);
  if (sap === undefined || sapBic === undefined || account === undefined) return undefined; // a message needs all three
  const { clearingSystemId } = clearingSystem;
  const membership = sap.memberships.find((one) => one.clearingSystemId === clearingSystemId);
  return { sap, sapBic, membership, accountId: account.accountId };
}
