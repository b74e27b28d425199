/**
 * The scheme's data as people enter, review and export it (ADM-1): one document per object. A document's kind is the
 * name of its file. The tables of reference data hold the same data; db/scheme/kinds.ts maps documents to tables.
 */
import type { FinInstRole } from '../ids.ts';

/** A party's public key, as a JWK (RFC 7517). */
export interface PublicKeyDocument {
  readonly keyId: string;
  readonly jwk: Readonly<Record<string, unknown>>;
  /** RFC 3339, UTC. */
  readonly validFrom: string;
  readonly validUntil: string | null;
}

/** The private members of a JWK, by RFC 7518 (6.2.2, 6.3.2 and 6.4.1) and RFC 8037 (2). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** @returns the fault if the JWK contains a part of a private key; undefined if it does not */
export function privateMember(jwk: Readonly<Record<string, unknown>>): string | undefined {
  const member = privateMembers.find((one) => one in jwk);
  return member === undefined
    ? undefined
    : `has the member ${member} of a private key: enter the public part only, and make a new key`;
}

export interface CurrencyDocument {
  readonly currencyCode: string;
  readonly currencyId: number;
  readonly name: string;
  readonly symbol: string;
  readonly decimalPlaces: number;
}

export interface CountryDocument {
  readonly countryCode: string;
  /** ISO 3166 numeric. */
  readonly countryId: number;
  readonly name: string;
  /** `purposeCode` or `categoryPurposeCode`. */
  readonly requiredPacs008Elements: readonly string[];
}

export interface OperatorDocument {
  readonly operatorId: string;
  readonly name: string;
  /** Base address of the operator. The gateway appends `/iso20022/pacs008` and so on. */
  readonly endpointUrl: string;
  readonly callbackOrigins: readonly string[];
  /**
   * Whether the operator must sign its messages with one of its keys. The gateway then signs its messages to
   * it, too (RFC 9421).
   */
  readonly signsMessages: boolean;
  readonly publicKeys: readonly PublicKeyDocument[];
}

/** Default of `maxAcceptanceAgeSeconds`: a payer who waited longer has given up (TIM-4). */
export const defaultAcceptanceAgeSeconds = 120;

export interface ClearingSystemDocument {
  readonly clearingSystemId: string;
  readonly operatorId: string;
  readonly currencyCode: string;
  /** Decimal text; trailing zeros are kept. */
  readonly maxAmount: string;
  readonly maxExecutionSeconds: number;
  readonly maxAcceptanceAgeSeconds: number;
  /** Time limit for the resolutions that this payment system submits. */
  readonly maxResolutionSeconds: number;
  readonly countryCodes: readonly string[];
  /** Address to which the gateway sends this system's books; null if it sends none. */
  readonly bookEndpointUrl: string | null;
}

export interface AddressInputDocument {
  readonly addressInputId: string;
  readonly label: unknown;
  readonly attributes: unknown;
  readonly iso20022XPath: unknown;
}

export interface AddressTypeDocument {
  readonly addressTypeId: string;
  readonly addressTypeCode: string;
  readonly countryCodes: readonly string[];
  readonly clearingSystemId: string | null;
  readonly proxyDirectoryId: string | null;
  readonly displayOrder: number;
  readonly inputIds: readonly string[];
}

export interface CorridorDocument {
  readonly sourceCountry: string;
  readonly sourceCurrency: string;
  readonly destinationCountry: string;
  readonly destinationCurrency: string;
}

export interface InstitutionDocument {
  /** internalId. */
  readonly institutionId: string;
  readonly name: string;
  readonly countryCode: string;
  readonly onboarded: boolean;
  readonly supportsAcmt023: boolean;
  readonly roles: readonly FinInstRole[];
  /** The gateway's messages contain the first one. */
  readonly bics: readonly string[];
  readonly lei: string | null;
  readonly otherIds: readonly string[];
  readonly memberships: readonly { readonly clearingSystemId: string; readonly memberId: string }[];
  readonly publicKeys: readonly PublicKeyDocument[];
  readonly bookEndpointUrl: string | null;
  /** For an FX provider: address for its fxtr.017. */
  readonly notificationUrl: string | null;
  /** For an FX provider: the SAP that it nominated in each country. */
  readonly settlementAccess: readonly {
    readonly countryCode: string;
    readonly sapId: string;
    readonly validated: boolean;
  }[];
  /** For an FX provider: the corridors for which it may post rates. */
  readonly corridors: readonly CorridorDocument[];
}

export interface SettlementAccountDocument {
  readonly sapId: string;
  readonly accountId: string;
  readonly ownerId: string;
  readonly countryCode: string;
  readonly currencyCode: string;
}

export interface FeeFormulaDocument {
  readonly countryCode: string;
  readonly currencyCode: string;
  /** For payments from this country, in this currency. */
  readonly schemeFee: { readonly nominalFeeAmount: string; readonly percentageFeeAsRatio: string };
  /** For payments to this country, in this currency. */
  readonly creditorAgentFee: { readonly nominalFeeAmount: string; readonly percentageFee: string };
}

export interface ClientDocument {
  readonly clientId: string;
  readonly role: 'psp' | 'fxp' | 'ipso' | 'operator';
  readonly institutionId: string | null;
  readonly clearingSystemId: string | null;
  /** Whether the client's secret is public, as in demos. */
  readonly demo: boolean;
  /** Secrets that have not ended. An export contains their hashes only if it asks for them. */
  readonly secrets: readonly {
    readonly secretId: string;
    /** `scrypt:<salt>:<digest>`, hexadecimal. */
    readonly hash: string;
    readonly endsAt: string | null;
  }[];
}

/** The opening prices of an FX provider. Afterwards, only the FX provider itself changes its prices. */
export interface FxPricesDocument {
  readonly fxpId: string;
  readonly baseRates: readonly (CorridorDocument & { readonly exchangeRate: string })[];
  readonly tierImprovements: readonly {
    readonly unitCurrency: string;
    readonly threshold: string;
    readonly improvementBasisPoints: string;
  }[];
  readonly pspImprovements: readonly { readonly pspId: string; readonly improvementBasisPoints: string }[];
}

export interface SchemeDocuments {
  readonly currencies: CurrencyDocument;
  readonly countries: CountryDocument;
  readonly operators: OperatorDocument;
  readonly 'clearing-systems': ClearingSystemDocument;
  readonly 'address-inputs': AddressInputDocument;
  readonly 'address-types': AddressTypeDocument;
  readonly institutions: InstitutionDocument;
  readonly 'settlement-accounts': SettlementAccountDocument;
  readonly 'fee-formulas': FeeFormulaDocument;
  readonly clients: ClientDocument;
  readonly 'fx-prices': FxPricesDocument;
}

export type SchemeKind = keyof SchemeDocuments;
export type SchemeDocument = SchemeDocuments[SchemeKind];

/** The kinds in order of dependency: a document refers only to earlier kinds. */
export const schemeKinds = [
  'currencies',
  'countries',
  'operators',
  'clearing-systems',
  'address-inputs',
  'address-types',
  'institutions',
  'settlement-accounts',
  'fee-formulas',
  'clients',
  'fx-prices',
] as const satisfies readonly SchemeKind[];

/** A scheme: documents by kind and id. */
export type Scheme = { readonly [Kind in SchemeKind]: ReadonlyMap<string, SchemeDocuments[Kind]> };

const ids: { readonly [Kind in SchemeKind]: (document: SchemeDocuments[Kind]) => string } = {
  currencies: (one) => one.currencyCode,
  countries: (one) => one.countryCode,
  operators: (one) => one.operatorId,
  'clearing-systems': (one) => one.clearingSystemId,
  'address-inputs': (one) => one.addressInputId,
  'address-types': (one) => one.addressTypeId,
  institutions: (one) => one.institutionId,
  'settlement-accounts': (one) => `${one.sapId}:${one.accountId}`,
  'fee-formulas': (one) => `${one.countryCode}:${one.currencyCode}`,
  clients: (one) => one.clientId,
  'fx-prices': (one) => one.fxpId,
};

export function schemeIdOf<Kind extends SchemeKind>(kind: Kind, document: SchemeDocuments[Kind]): string {
  return ids[kind](document);
}
