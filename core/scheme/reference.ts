/**
 * Reference data as one immutable snapshot, for validation, quoting and the JSON endpoints. db/scheme/reference.ts reads it
 * and keeps it up to date.
 */
import type { CreditorAgentFeeFormula, SchemeFeeFormula } from '../money/fee.ts';
import { canonicalId, type FinInstIdType, type FinInstRole } from '../ids.ts';

export interface Country {
  readonly countryCode: string;
  /** ISO 3166 numeric. */
  readonly countryId: number;
  readonly name: string;
  /** purposeCode, categoryPurposeCode. */
  readonly requiredPacs008Elements: readonly string[];
}

export interface Currency {
  readonly currencyCode: string;
  readonly currencyId: number;
  readonly name: string;
  readonly symbol: string;
  readonly decimalPlaces: number;
}

export interface Operator {
  readonly operatorId: string;
  readonly name: string;
  /** Base address; `/iso20022/pacs008` and so on are appended. */
  readonly endpointUrl: string;
  readonly callbackOrigins: readonly string[];
  /** Whether its messages and ours to it are signed. */
  readonly signsMessages: boolean;
}

export interface ClearingSystem {
  readonly clearingSystemId: string;
  readonly operatorId: string;
  readonly currencyCode: string;
  /** Decimal text in its currency, scale kept as given. */
  readonly maxAmount: string;
  readonly maxExecutionSeconds: number;
  readonly maxAcceptanceAgeSeconds: number;
  /** How long a resolution that it submits may take. */
  readonly maxResolutionSeconds: number;
  readonly countryCodes: readonly string[];
}

export interface Membership {
  readonly clearingSystemId: string;
  readonly memberId: string;
}

export interface Institution {
  /** internalId. */
  readonly institutionId: string;
  readonly name: string;
  readonly countryCode: string;
  readonly roles: readonly FinInstRole[];
  /** As given; the first is the one we write. */
  readonly bics: readonly string[];
  readonly lei: string | null;
  readonly otherIds: readonly string[];
  readonly memberships: readonly Membership[];
  readonly onboarded: boolean;
  /** It is there for what refers to it, and does nothing any more. */
  readonly hasEnded: boolean;
  readonly supportsAcmt023: boolean;
  /** Where an FXP receives its fxtr.017. */
  readonly notificationUrl: string | null;
}

export interface SettlementAccount {
  readonly ownerId: string;
  readonly sapId: string;
  readonly countryCode: string;
  readonly currencyCode: string;
  readonly accountId: string;
}

/** An account that there is, or was. */
export interface BookedAccount {
  readonly sapId: string;
  readonly accountId: string;
  /** Whose it was and is, oldest first; at least one. */
  readonly owners: readonly AccountOwner[];
}

export interface AccountOwner {
  readonly ownerId: string;
  readonly currencyCode: string;
  /** Since when the account was there, or is; not since when it is theirs. */
  readonly registeredAt: Date;
  /** The end of a day (UTC); null: it is theirs. */
  readonly until: Date | null;
}

export interface SettlementAccess {
  readonly fxpId: string;
  readonly countryCode: string;
  readonly sapId: string;
  readonly validated: boolean;
}

export interface AddressType {
  readonly addressTypeId: string;
  readonly addressTypeCode: string;
  readonly clearingSystemId: string | null;
  readonly proxyDirectoryId: string | null;
  readonly displayOrder: number;
  readonly countryCodes: readonly string[];
  readonly inputIds: readonly string[];
}

export interface AddressInput {
  readonly addressInputId: string;
  readonly label: unknown;
  readonly attributes: unknown;
  readonly iso20022XPath: unknown;
}

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
  /** The same, and those that are gone: their days have a book. */
  readonly bookedAccounts: ReadonlyMap<string, BookedAccount>;
  /** By owner, country and currency. */
  readonly accountsOfOwner: ReadonlyMap<string, readonly SettlementAccount[]>;
  /** By FXP and country. */
  readonly settlementAccess: ReadonlyMap<string, SettlementAccess>;
  /** By FXP and the four parts of the corridor. */
  readonly fxpCorridors: ReadonlySet<string>;
  /** By country and currency; decimal text, scale kept as given. */
  readonly schemeFeeFormulas: ReadonlyMap<string, SchemeFeeFormula>;
  readonly creditorAgentFeeFormulas: ReadonlyMap<string, CreditorAgentFeeFormula>;
  /** By FXP and PSP. */
  readonly pspImprovements: ReadonlyMap<string, PspImprovement>;
  readonly addressTypes: ReadonlyMap<string, AddressType>;
  readonly addressInputs: ReadonlyMap<string, AddressInput>;
  /**
   * Where the camt.054 of each day is sent, by payment system, or institution for its accounts; full addresses.
   */
  readonly bookEndpoints: ReadonlyMap<string, string>;
  /** Payment systems and FX providers that operators have paused, by their id. */
  readonly paused: ReadonlySet<string>;
}

/** Joins the parts of a key; none of them contains a space. */
export function keyOf(...parts: readonly string[]): string {
  return parts.join(' ');
}

/** The institution of an identifier, or undefined. */
export function findInstitution(
  data: ReferenceData,
  type: FinInstIdType,
  value: string,
): Institution | undefined {
  return type === 'internalId'
    ? data.institutions.get(value)
    : data.institutionsByIdentifier.get(keyOf(type, canonicalId(type, value)));
}

/** The institution that is named by a BIC, or else by our own id. */
export function institutionNamed(data: ReferenceData, name: string): Institution | undefined {
  return findInstitution(data, 'BICFI', name) ?? data.institutions.get(name);
}

/** A party as a person names it, and as records do. */
export interface NamedParty {
  /** Of the payment system, or ours of the institution. */
  readonly id: string;
  readonly of: 'clearing-system' | 'institution';
  /** As records name it, now or before: deliveries and alerts keep the name of their time. */
  readonly names: readonly [string, ...string[]];
}

/** A payment system by its id, or an institution by a BIC or by our own id. */
export function partyNamed(data: ReferenceData, name: string): NamedParty | undefined {
  if (data.clearingSystems.has(name)) return { id: name, of: 'clearing-system', names: [name] };
  const institution = institutionNamed(data, name);
  if (institution === undefined) return undefined;
  const { institutionId: id, bics } = institution;
  return { id, of: 'institution', names: [id, ...bics] };
}

/** The payment systems of a country in a currency; empty when the currency is not the country's. */
export function clearingSystemsOf(
  data: ReferenceData,
  countryCode: string,
  currencyCode: string,
): readonly ClearingSystem[] {
  return [...data.clearingSystems.values()].filter(
    (system) => system.currencyCode === currencyCode && system.countryCodes.includes(countryCode),
  );
}

/** The currencies that the service uses in a country, each once, in the order of reference data. */
export function currenciesOf(data: ReferenceData, countryCode: string): readonly string[] {
  const systems = [...data.clearingSystems.values()].filter((one) => one.countryCodes.includes(countryCode));
  return [...new Set(systems.map((one) => one.currencyCode))];
}

/** The identifier by which we name an institution to others: its first BIC, else LEI, else other id. */
export function mainIdentifier(institution: Institution): { type: FinInstIdType; value: string } {
  const [bic] = institution.bics;
  if (bic !== undefined) return { type: 'BICFI', value: bic };
  if (institution.lei !== null) return { type: 'LEI', value: institution.lei };
  const [otherId] = institution.otherIds;
  if (otherId !== undefined) return { type: 'otherId', value: otherId };
  return { type: 'internalId', value: institution.institutionId };
}

/** An FX provider as everybody else names it: by its BIC; else by our own id. */
export function fxpNameOf<Id extends string | null>({ institutions }: ReferenceData, fxpId: Id): string | Id {
  return (fxpId === null ? undefined : institutions.get(fxpId)?.bics[0]) ?? fxpId;
}
