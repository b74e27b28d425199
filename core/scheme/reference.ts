/**
 * Reference data as one immutable snapshot, for validation, quoting and the JSON endpoints. db/scheme/reference.ts
 * loads it and keeps it up to date.
 */
import type { CreditorAgentFeeFormula, SchemeFeeFormula } from '../money/fee.ts';
import { canonicalId, type FinInstIdType } from '../ids.ts';
import type {
  AddressInputDocument,
  AddressTypeDocument,
  ClearingSystemDocument,
  CountryDocument,
  CurrencyDocument,
  InstitutionDocument,
  OperatorDocument,
  SettlementAccountDocument,
} from './documents.ts';

export type Country = CountryDocument;
export type Currency = CurrencyDocument;
export type Operator = Omit<OperatorDocument, 'publicKeys'>;
export type ClearingSystem = Omit<ClearingSystemDocument, 'bookEndpointUrl'>;
export type Membership = InstitutionDocument['memberships'][number];
export type SettlementAccount = SettlementAccountDocument;
export type AddressType = AddressTypeDocument;
export type AddressInput = AddressInputDocument;

export interface Institution extends Omit<
  InstitutionDocument,
  'publicKeys' | 'bookEndpointUrl' | 'settlementAccess' | 'corridors'
> {
  /** An ended institution stays in the reference data only because other data refers to it. */
  readonly hasEnded: boolean;
}

/** An account, existing or removed. */
export interface BookedAccount {
  readonly sapId: string;
  readonly accountId: string;
  /** All owners up to now, oldest first; at least one. */
  readonly owners: readonly AccountOwner[];
}

export interface AccountOwner {
  readonly ownerId: string;
  readonly currencyCode: string;
  /** When the account was registered. That may be before this owner got it. */
  readonly registeredAt: Date;
  /** End of the ownership, at the end of a day (UTC); null if it continues. */
  readonly until: Date | null;
}

export type SettlementAccess = InstitutionDocument['settlementAccess'][number] & { readonly fxpId: string };

export interface PspImprovement {
  readonly pspImprovementId: string;
  readonly fxpId: string;
  readonly pspId: string;
  readonly improvementBasisPoints: string;
}

/** Maps are keyed by the id, or by ids joined with `keyOf`. */
export interface ReferenceData {
  readonly countries: ReadonlyMap<string, Country>;
  readonly currencies: ReadonlyMap<string, Currency>;
  readonly operators: ReadonlyMap<string, Operator>;
  readonly clearingSystems: ReadonlyMap<string, ClearingSystem>;
  readonly institutions: ReadonlyMap<string, Institution>;
  /** By identifier type and lookup value. */
  readonly institutionsByIdentifier: ReadonlyMap<string, Institution>;
  /** By clearing system and member id. */
  readonly institutionsByMembership: ReadonlyMap<string, Institution>;
  /** By SAP and account id. */
  readonly accountsAtSap: ReadonlyMap<string, SettlementAccount>;
  /** By SAP and account id. It includes removed accounts, because their past days have books. */
  readonly bookedAccounts: ReadonlyMap<string, BookedAccount>;
  /** By owner, country and currency. */
  readonly accountsOfOwner: ReadonlyMap<string, readonly SettlementAccount[]>;
  /** By FX provider and country. */
  readonly settlementAccess: ReadonlyMap<string, SettlementAccess>;
  /** By FX provider and the four parts of the corridor. */
  readonly fxpCorridors: ReadonlySet<string>;
  /** By country and currency; decimal text with trailing zeros kept. */
  readonly schemeFeeFormulas: ReadonlyMap<string, SchemeFeeFormula>;
  readonly creditorAgentFeeFormulas: ReadonlyMap<string, CreditorAgentFeeFormula>;
  /** By FX provider and PSP. */
  readonly pspImprovements: ReadonlyMap<string, PspImprovement>;
  readonly addressTypes: ReadonlyMap<string, AddressType>;
  readonly addressInputs: ReadonlyMap<string, AddressInput>;
  /**
   * Full addresses to which the daily camt.054 is sent, keyed by the id of a payment system or account owner.
   */
  readonly bookEndpoints: ReadonlyMap<string, string>;
  /** Ids of payment systems and FX providers that operators have paused. */
  readonly paused: ReadonlySet<string>;
}

/** Joins the parts of a key. No part may contain a space. */
export function keyOf(...parts: readonly string[]): string {
  return parts.join(' ');
}

/** Finds an institution by any of its identifiers. */
export function findInstitution(
  data: ReferenceData,
  type: FinInstIdType,
  value: string,
): Institution | undefined {
  return type === 'internalId'
    ? data.institutions.get(value)
    : data.institutionsByIdentifier.get(keyOf(type, canonicalId(type, value)));
}

/** Finds an institution by a BIC, or else by its internalId. */
export function institutionNamed(data: ReferenceData, name: string): Institution | undefined {
  return findInstitution(data, 'BICFI', name) ?? data.institutions.get(name);
}

/** A party that a person asked for by name, with its names in the record. */
export interface NamedParty {
  /** Clearing system id, or internalId of the institution. */
  readonly id: string;
  readonly of: 'clearing-system' | 'institution';
  /**
   * Present and past names in the record: deliveries and alerts keep the name that was in use when they were stored.
   */
  readonly names: readonly [string, ...string[]];
}

/** Finds a payment system by its id, or an institution by a BIC or its internalId. */
export function partyNamed(data: ReferenceData, name: string): NamedParty | undefined {
  if (data.clearingSystems.has(name)) return { id: name, of: 'clearing-system', names: [name] };
  const institution = institutionNamed(data, name);
  if (institution === undefined) return undefined;
  const { institutionId: id, bics } = institution;
  return { id, of: 'institution', names: [id, ...bics] };
}

/** The payment systems of a country in a currency; empty if the country does not use the currency. */
export function clearingSystemsOf(
  data: ReferenceData,
  countryCode: string,
  currencyCode: string,
): readonly ClearingSystem[] {
  return [...data.clearingSystems.values()].filter(
    (system) => system.currencyCode === currencyCode && system.countryCodes.includes(countryCode),
  );
}

/** The currencies that the service uses in a country, without duplicates, in the order of reference data. */
export function currenciesOf(data: ReferenceData, countryCode: string): readonly string[] {
  const systems = [...data.clearingSystems.values()].filter((one) => one.countryCodes.includes(countryCode));
  return [...new Set(systems.map((one) => one.currencyCode))];
}

/**
 * The identifier that the gateway gives to others for an institution: first BIC, else LEI, else other id,
 * else internalId.
 */
export function mainIdentifier(institution: Institution): { type: FinInstIdType; value: string } {
  const [bic] = institution.bics;
  if (bic !== undefined) return { type: 'BICFI', value: bic };
  if (institution.lei !== null) return { type: 'LEI', value: institution.lei };
  const [otherId] = institution.otherIds;
  if (otherId !== undefined) return { type: 'otherId', value: otherId };
  return { type: 'internalId', value: institution.institutionId };
}

/** The name of an FX provider in the record and to others: its first BIC, else its internalId. */
export function fxpNameOf<Id extends string | null>({ institutions }: ReferenceData, fxpId: Id): string | Id {
  return (fxpId === null ? undefined : institutions.get(fxpId)?.bics[0]) ?? fxpId;
}
