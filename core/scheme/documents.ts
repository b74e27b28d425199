/**
 * The scheme's data as people enter, review and export it (ADM-1): one document per object, by kind. The tables
 * of reference data hold the same; db/scheme/kinds.ts says where. A document's kind is the name of its file.
 */
import type { FinInstRole } from '../ids.ts';

/** A public key that a party gave, as RFC 7517. */
export interface PublicKeyDocument {
  readonly keyId: string;
  readonly jwk: Readonly<Record<string, unknown>>;
  /** RFC 3339, UTC. */
  readonly validFrom: string;
  readonly validUntil: string | null;
}

/** RFC 7518, 6.2.2, 6.3.2 and 6.4.1; RFC 8037, 2. */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** @returns what is wrong with a JWK that tells a private part, or some of it; undefined: it does not */
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
  readonly countryId: number;
  readonly name: string;
  readonly requiredPacs008Elements: readonly string[];
}

export interface OperatorDocument {
  readonly operatorId: string;
  readonly name: string;
  readonly endpointUrl: string;
  readonly callbackOrigins: readonly string[];
  /** Whether its messages count only with a signature by one of its keys, and ours to it have one (RFC 9421). */
  readonly signsMessages: boolean;
  readonly publicKeys: readonly PublicKeyDocument[];
}

export interface ClearingSystemDocument {
  readonly clearingSystemId: string;
  readonly operatorId: string;
  readonly currencyCode: string;
  /** Decimal text, scale kept as given. */
  readonly maxAmount: string;
  readonly maxExecutionSeconds: number;
  readonly maxAcceptanceAgeSeconds: number;
  readonly maxResolutionSeconds: number;
  readonly countryCodes: readonly string[];
  /** Where its books go; null: nowhere. */
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
  readonly institutionId: string;
  readonly name: string;
  readonly countryCode: string;
  readonly onboarded: boolean;
  readonly supportsAcmt023: boolean;
  readonly roles: readonly FinInstRole[];
  /** The first is the one that we write. */
  readonly bics: readonly string[];
  readonly lei: string | null;
  readonly otherIds: readonly string[];
  readonly memberships: readonly { readonly clearingSystemId: string; readonly memberId: string }[];
  readonly publicKeys: readonly PublicKeyDocument[];
  readonly bookEndpointUrl: string | null;
  /** Of an FX provider: where its fxtr.017 goes. */
  readonly notificationUrl: string | null;
  /** Of an FX provider: the SAP that it nominated per country. */
  readonly settlementAccess: readonly {
    readonly countryCode: string;
    readonly sapId: string;
    readonly validated: boolean;
  }[];
  /** Of an FX provider: what it is set up to rate. */
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
  /** Of a payment from there, in its currency. */
  readonly schemeFee: { readonly nominalFeeAmount: string; readonly percentageFeeAsRatio: string };
  /** Of a payment to there, in its currency. */
  readonly creditorAgentFee: { readonly nominalFeeAmount: string; readonly percentageFee: string };
}

export interface ClientDocument {
  readonly clientId: string;
  readonly role: 'psp' | 'fxp' | 'ipso' | 'operator';
  readonly institutionId: string | null;
  readonly clearingSystemId: string | null;
  /** Whose secret is public knowledge. */
  readonly demo: boolean;
  /** Those that count or will; the hash is told to nobody but an export that asks for it. */
  readonly secrets: readonly {
    readonly secretId: string;
    /** `scrypt:<salt>:<digest>`, hexadecimal. */
    readonly hash: string;
    readonly endsAt: string | null;
  }[];
}

/** What an FX provider begins with; from then on its prices are its own. */
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

/** In the order in which one needs the other. */
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

/** A scheme: every document by its id, by kind. */
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

/** The id of a document within its kind. */
export function schemeIdOf<Kind extends SchemeKind>(kind: Kind, document: SchemeDocuments[Kind]): string {
  return ids[kind](document);
}
