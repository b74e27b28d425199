// What a source and a destination are linked by, looked up once per snapshot of the reference data: currencies, maxima, fee
// formulas, and the agents and accounts of each FX provider. It must not read rates: those are never cached (FX-4).
import type { CreditorAgentFeeFormula, SchemeFeeFormula } from '../core/fee.ts';
import { exact, renderedJson, type JsonNumber, type JsonObject } from '../core/money.ts';
import {
  clearingSystemsOf,
  keyOf,
  mainIdentifier,
  type ClearingSystem,
  type Currency,
  type Institution,
  type ReferenceData,
  type SettlementAccount,
} from '../core/reference.ts';
import type { Problem } from './problem.ts';
import {
  corridorParameters,
  currencyNotOfCountry,
  unknownCorridor,
  unknownCountry,
  unknownCurrency,
  type CorridorFields,
  type Field,
} from './told.ts';

export interface CorridorKey {
  readonly sourceCountry: string;
  readonly sourceCurrency: string;
  readonly destinationCountry: string;
  readonly destinationCurrency: string;
}

/** A country with one of its currencies. */
export interface Place {
  readonly countryCode: string;
  readonly currency: Currency;
  /** The payment system there. Where a country has several in one currency: the one with the lowest maximum. */
  readonly clearingSystem: ClearingSystem;
}

/** Where an FX provider takes or gives money on one side. */
export interface SettlementPlace {
  readonly sap: Institution;
  readonly accountId: string;
  /** The SAP as quotes show it. */
  readonly agent: JsonNumber;
  /** The account as quotes show it. */
  readonly account: JsonNumber;
}

/** An FX provider that is set up for the corridor and can settle both sides (FX-3). */
export interface CorridorFxp {
  readonly institution: Institution;
  readonly idType: string;
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
  /** By internalId. */
  readonly fxps: ReadonlyMap<string, CorridorFxp>;
  /** By the identifier that PSPs see, which also breaks ties (QUO-2). */
  readonly fxpsByShownId: ReadonlyMap<string, CorridorFxp>;
  /** Whether some FX provider is set up for it; without one it has no rates (REF-3). */
  readonly rated: boolean;
}

const corridorsOfSnapshot = new WeakMap<ReferenceData, Map<string, Corridor>>();

/** The corridor, or 404: unknown country or currency, a currency that is not the country's, or no corridor at all (REF-3). */
export function findCorridor(
  data: ReferenceData,
  key: CorridorKey,
  fields: CorridorFields = corridorParameters,
): Corridor | Problem {
  let known = corridorsOfSnapshot.get(data);
  if (known === undefined) corridorsOfSnapshot.set(data, (known = new Map<string, Corridor>()));
  const name = keyOf(key.sourceCountry, key.sourceCurrency, key.destinationCountry, key.destinationCurrency);
  const found = known.get(name);
  if (found !== undefined) return found;
  const { sourceCountry, sourceCurrency, destinationCountry, destinationCurrency } = key;
  const ends = { sourceCountry, sourceCurrency, destinationCountry, destinationCurrency };
  const made = makeCorridor(data, ends, fields);
  if (!('kind' in made)) known.set(name, made);
  return made;
}

/** As `findCorridor`, but 404 also where no FX provider is set up: quotes and rates need one. */
export function findRatedCorridor(
  data: ReferenceData,
  key: CorridorKey,
  fields?: CorridorFields,
): Corridor | Problem {
  const corridor = findCorridor(data, key, fields);
  return 'kind' in corridor || corridor.rated
    ? corridor
    : unknownCorridor(corridor.key, 'no FX provider is set up for it');
}

/** Which side the amount fixes; the source side where both currencies are the same. */
export function amountSideOf(corridor: Corridor, currency: string): 'source' | 'destination' | undefined {
  if (currency === corridor.source.currency.currencyCode) return 'source';
  return currency === corridor.destination.currency.currencyCode ? 'destination' : undefined;
}

/** A country with one of its currencies, or 404 (REF-3). */
export function findPlace(
  data: ReferenceData,
  { countryCode, currencyCode }: { readonly countryCode: string; readonly currencyCode: string },
  fields: { readonly country: Field; readonly currency: Field } = placeParameters,
): Place | Problem {
  if (!data.countries.has(countryCode)) return unknownCountry(fields.country, countryCode);
  const currency = data.currencies.get(currencyCode);
  if (currency === undefined) return unknownCurrency(fields.currency, currencyCode);
  const [clearingSystem] = [...clearingSystemsOf(data, countryCode, currencyCode)].sort((a, b) =>
    exact(a.maxAmount).cmp(exact(b.maxAmount)),
  );
  return clearingSystem === undefined
    ? currencyNotOfCountry(data, fields.currency, { countryCode, currencyCode })
    : { countryCode, currency, clearingSystem };
}

const placeParameters = { country: { parameter: 'countryCode' }, currency: { parameter: 'currencyCode' } };

function makeCorridor(data: ReferenceData, key: CorridorKey, fields: CorridorFields): Corridor | Problem {
  const source = findSource(data, key, fields);
  if ('kind' in source) return source;
  const destination = findDestination(data, key, fields);
  if ('kind' in destination) return destination;
  const schemeFee = data.schemeFeeFormulas.get(keyOf(key.sourceCountry, key.sourceCurrency));
  const creditorFee = data.creditorAgentFeeFormulas.get(
    keyOf(key.destinationCountry, key.destinationCurrency),
  );
  if (key.sourceCountry === key.destinationCountry || schemeFee === undefined || creditorFee === undefined) {
    return unknownCorridor(key, 'source and destination must be two countries of the service');
  }
  const fxps = new Map<string, CorridorFxp>();
  let rated = false;
  for (const institution of data.institutions.values()) {
    if (!isSetUp(data, institution.institutionId, key)) continue;
    rated = true;
    const fxp = fxpOf(data, institution, { source, destination });
    if (fxp !== undefined) fxps.set(institution.institutionId, fxp);
  }
  return {
    key,
    source,
    destination,
    schemeFee,
    creditorAgentFee: creditorFee,
    fxps,
    fxpsByShownId: new Map([...fxps.values()].map((fxp) => [fxp.id, fxp])),
    rated,
  };
}

/** The source side of a corridor, as `findPlace`. */
export function findSource(data: ReferenceData, key: CorridorKey, fields: CorridorFields): Place | Problem {
  const { sourceCountry: countryCode, sourceCurrency: currencyCode } = key;
  const { sourceCountry: country, sourceCurrency: currency } = fields;
  return findPlace(data, { countryCode, currencyCode }, { country, currency });
}

/** The destination side of a corridor, as `findPlace`. */
export function findDestination(
  data: ReferenceData,
  key: CorridorKey,
  fields: CorridorFields,
): Place | Problem {
  const { destinationCountry: countryCode, destinationCurrency: currencyCode } = key;
  const { destinationCountry: country, destinationCurrency: currency } = fields;
  return findPlace(data, { countryCode, currencyCode }, { country, currency });
}

/** FX-3: whether the FX provider is set up to rate the corridor. */
export function isSetUp(data: ReferenceData, fxpId: string, key: CorridorKey): boolean {
  return data.fxpCorridors.has(
    keyOf(fxpId, key.sourceCountry, key.sourceCurrency, key.destinationCountry, key.destinationCurrency),
  );
}

function fxpOf(
  data: ReferenceData,
  institution: Institution,
  ends: { source: Place; destination: Place },
): CorridorFxp | undefined {
  const source = settlementPlaceOf(data, institution.institutionId, ends.source);
  const destination = settlementPlaceOf(data, institution.institutionId, ends.destination);
  if (source === undefined || destination === undefined) return undefined;
  const { type, value } = mainIdentifier(institution);
  return { institution, idType: type, id: value, source, destination };
}

/** FX-3: the FX provider's nominated, validated SAP at a place and its account there, or undefined. */
export function settlementPlaceOf(
  data: ReferenceData,
  fxpId: string,
  place: Place,
): SettlementPlace | undefined {
  const access = data.settlementAccess.get(keyOf(fxpId, place.countryCode));
  if (access?.validated !== true) return undefined;
  const sap = data.institutions.get(access.sapId);
  const sapBic = sap?.bics[0];
  const account = accountAt(data, { fxpId, sapId: access.sapId, place });
  if (sap === undefined || sapBic === undefined || account === undefined) return undefined; // no message could name it
  const { accountId } = account;
  return {
    sap,
    accountId,
    agent: renderedJson(agentOf(sap, sapBic, place.clearingSystem.clearingSystemId)),
    account: renderedJson({ id: accountId }),
  };
}

/** Agent 1 or 2 of a quote: the SAP, by its member id in the payment system of that side. */
function agentOf(sap: Institution, bic: string, clearingSystemId: string): JsonObject {
  const membership = sap.memberships.find((candidate) => candidate.clearingSystemId === clearingSystemId);
  return {
    finInstId: {
      name: sap.name,
      BICFI: bic,
      LEI: sap.lei,
      clearingSystemMemberId: {
        clearingSystemId: membership?.clearingSystemId ?? null,
        memberId: membership?.memberId ?? null,
      },
      other: { id: sap.otherIds[0] ?? null },
    },
  };
}

function accountAt(
  data: ReferenceData,
  { fxpId, sapId, place }: { fxpId: string; sapId: string; place: Place },
): SettlementAccount | undefined {
  const accounts = data.accountsOfOwner.get(keyOf(fxpId, place.countryCode, place.currency.currencyCode));
  return accounts?.find((account) => account.sapId === sapId);
}
