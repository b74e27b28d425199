/**
 * The forms of identifiers and codes, each defined once. All checks are purely lexical; callers pass in
 * random values.
 */
import { assert } from './assert.ts';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** A UUID of any version, in lower case as Postgres writes it. */
export const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const anyUuid = new RegExp(uuidPattern, 'i');
/** A UUID v4 in lower case, like UETRs and quote ids. */
export const uuidV4Pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** The form of a BIC8 or BIC11. */
export const bicPattern = /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/;
/** The form of an LEI (ISO 17442), without its check digits. */
const leiPattern = /^[A-Z0-9]{18}[0-9]{2}$/;
/** The form of an ISO 3166 alpha-2 code. */
export const countryCodePattern = /^[A-Z]{2}$/;
/** The form of an ISO 4217 alphabetic code. */
export const currencyCodePattern = /^[A-Z]{3}$/;

export function isUuidV4(text: string): boolean {
  return uuidV4Pattern.test(text);
}

/** A UUID of any version and case. In a path, an unknown UUID gets 404 and any other text gets 400. */
export function isUuid(text: string): boolean {
  return anyUuid.test(text);
}

export function isBic(text: string): boolean {
  return bicPattern.test(text);
}

export function isLei(text: string): boolean {
  return leiPattern.test(text);
}

export function isCountryCode(text: string): boolean {
  return countryCodePattern.test(text);
}

const maxMessageIdLength = 35; // Max35Text
const messageIdPattern = /^[!-.0-~](?:[ /]?[!-.0-~])*$/;

/**
 * An id that every message can carry: at most 35 printable characters. A `/` or space may not stand at either end, nor
 * next to another.
 */
export function isIdentifier(text: string): boolean {
  return text.length <= maxMessageIdLength && messageIdPattern.test(text);
}

// Institutions

export const finInstIdTypes = ['BICFI', 'LEI', 'otherId', 'internalId'] as const;
export type FinInstIdType = (typeof finInstIdTypes)[number];

export const finInstRoles = ['psp', 'fxp', 'sap'] as const;
export type FinInstRole = (typeof finInstRoles)[number];
/** The roles by which endpoints 9 and 10 filter. */
export const finInstRoleFilters = [...finInstRoles, 'any'] as const;
export type FinInstRoleFilter = (typeof finInstRoleFilters)[number];

/** The canonical form of an identifier: a BIC that ends in `XXX` becomes the BIC8 (REF-4). */
export function canonicalId(type: FinInstIdType, value: string): string {
  const isHeadOffice = type === 'BICFI' && value.length === 11 && value.endsWith('XXX');
  return isHeadOffice ? value.slice(0, 8) : value;
}

// Quotes

/** Id of one quote: a UUID v4 in lower case. Its last byte is its ordinal within its request. */
export type QuoteId = Branded<'QuoteId'>;
/** Id of one request for quotes, stored as one row: a UUID v4 whose last byte is 00. */
export type QuoteRequestId = Branded<'QuoteRequestId'>;

/**
 * @returns undefined unless the text is a lower-case UUID v4. The id of a request passes too: it is well formed, but
 * names no quote (ordinal 0).
 */
export function parseQuoteId(text: string): QuoteId | undefined {
  return isUuidV4(text) ? (text as QuoteId) : undefined;
}

/**
 * The largest number of quotes per request. The ordinal of a quote is one byte, and 0 stands for the request
 * itself.
 */
export const maxQuotesPerRequest = 255;

/** Makes the id of a new request from a random lower-case UUID v4. 114 random bits remain. */
export function quoteRequestIdFrom(randomUuid: string): QuoteRequestId {
  assert(isUuidV4(randomUuid), 'a quote request id is made from a random UUID v4');
  return `${randomUuid.slice(0, -2)}00` as QuoteRequestId;
}

/**
 * Makes the id of a quote. The id of its request can be computed from it. `ordinal` is the rank of the quote,
 * 1 to 255.
 */
export function quoteIdOf(requestId: QuoteRequestId, ordinal: number): QuoteId {
  assert(
    Number.isInteger(ordinal) && ordinal >= 1 && ordinal <= maxQuotesPerRequest,
    'the ordinal of a quote is 1 to 255',
  );
  return (requestId.slice(0, -2) + ordinal.toString(16).padStart(2, '0')) as QuoteId;
}

/** The inverse of `quoteIdOf`. Ordinal 0 means that the id names a request, not a quote. */
export function quoteRequestOf(quoteId: QuoteId): { requestId: QuoteRequestId; ordinal: number } {
  return {
    requestId: `${quoteId.slice(0, -2)}00` as QuoteRequestId,
    ordinal: Number.parseInt(quoteId.slice(-2), 16),
  };
}

// LEIs

/**
 * Computes the two check digits for the first 18 characters of an LEI (ISO 7064 mod 97-10).
 * @internal exported for tests
 */
export function leiCheckDigits(first18: string): string {
  assert(/^[A-Z0-9]{18}$/.test(first18), 'an LEI has 18 characters before its check digits');
  return (98 - remainderBy97(`${first18}00`)).toString().padStart(2, '0');
}

/** Checks form and check digits (ISO 17442). */
export function isValidLei(text: string): boolean {
  return isLei(text) && remainderBy97(text) === 1;
}

/** Tests only the form of an IBAN, not its check digits: two letters, two digits, 11 to 30 more characters. */
export function looksLikeIban(text: string): boolean {
  return /^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/.test(text);
}

/** ISO 7064 mod 97: letters count as 10 (A) to 35 (Z). */
export function remainderBy97(text: string): number {
  let remainder = 0;
  for (const character of text) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder;
}
