// What the JSON answers hold, in the api's own types where it has them: a test reads an answer by its kind, and an
// answer of another kind is told as what it is. (`startApi` holds every answer against the OpenAPI document besides.)
import type { evidenceSchema } from '../../api/payment-schemas.ts';
import type { adjustedQuotesSchema, quoteSetSchema } from '../../api/quote-schemas.ts';
import type { rateAcceptedSchema, ratesSchema, tierImprovementSchema } from '../../api/rate-schemas.ts';

type BodyOf<Schema extends { readonly _output: unknown }> = Schema['_output'];

export type QuoteSet = BodyOf<typeof quoteSetSchema>;
export type QuoteOnOffer = QuoteSet['quotes'][number];
export type Evidence = BodyOf<typeof evidenceSchema>;

/** One fault of the input; a refusal names one of the two places. */
export interface Fault {
  readonly parameter?: string;
  readonly pointer?: string;
  readonly detail: string;
}

/** RFC 9457, with what SEC-4 adds. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly ruleId?: string;
  readonly errors?: readonly Fault[];
}

/** What an address answers that may also refuse: the status says which of the two it is. */
export type OrProblem<Body> = Body & Omit<Problem, keyof Body>;

export type AdjustedQuote = BodyOf<typeof adjustedQuotesSchema>[number];
export type Rates = BodyOf<typeof ratesSchema>;
export type RateAccepted = BodyOf<typeof rateAcceptedSchema>;
export type TierImprovement = BodyOf<typeof tierImprovementSchema>;

interface Money {
  readonly amount: number;
  readonly currency: string;
}

/** Endpoint 14. */
export interface FeesAndAmounts {
  readonly debtorAgent: { readonly interbankSettlementAmount: Money; readonly networkSchemeFee: Money };
  readonly creditorAgent: {
    readonly interbankSettlementAmount: Money;
    readonly chargesAmount: Money;
    readonly creditorAccountAmount: number;
  };
}

/** Endpoints 1 and 2. */
export interface Country {
  readonly countryCode: string;
  readonly name: string;
  readonly requiredMessageElements: object;
}

/** Endpoints 4 and 5. */
export interface Currency {
  readonly currencyCode: string;
  readonly decimalPlaces: number;
  readonly countries: readonly string[];
}

/** Endpoints 6 and 7. */
export interface AddressType {
  readonly addressTypeId: string;
  readonly addressTypeCode: string;
  readonly countries: readonly string[];
}

export interface AddressTypeWithInputs extends AddressType {
  readonly inputs: readonly {
    readonly attributes: { readonly name: string };
    readonly iso20022XPath: { readonly pacs008: unknown };
  }[];
}

/** Endpoints 9 to 11. */
export interface Institution {
  readonly name: string;
  readonly countryCode: string;
  readonly roles: readonly string[];
  readonly finInstId: { readonly BICFI: readonly string[]; readonly LEI: string | null };
}

/** Of the OAuth endpoints, which know no problem+json (RFC 6749). */
export interface TokenRefusal {
  readonly error: string;
  readonly error_description: string;
}
