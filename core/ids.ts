/**
 * The forms of identifiers and codes, each defined once. Nothing is looked up here, and randomness is an argument.
 */
import { assert } from './assert.ts';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** A UUID of any version in lower case, as the database writes it. */
export const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const anyUuid = new RegExp(uuidPattern, 'i');
/** As UETRs and quote ids are: a UUID v4 in lower case. */
export const uuidV4Pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** BIC8 or BIC11 in form. */
export const bicPattern = /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/;
/** ISO 17442 in form; the check digits are not verified. */
const leiPattern = /^[A-Z0-9]{18}[0-9]{2}$/;
/** ISO 3166 alpha-2 in form. */
export const countryCodePattern = /^[A-Z]{2}$/;
/** ISO 4217 alphabetic in form. */
export const currencyCodePattern = /^[A-Z]{3}$/;

export function isUuidV4(text: string): boolean {
  return uuidV4Pattern.test(text);
}

/** A UUID of any version and case: unknown ones get 404, anything else 400. */
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

export function isCurrencyCode(text: string): boolean {
  return currencyCodePattern.test(text);
}

const maxMessageIdLength = 35; // Max35Text
const messageIdPattern = /^[!-.0-~](?:[ /]?[!-.0-~])*$/;

/**
 * An id that every message can carry: at most 35 printable characters, no `/` or space at either end or two in a row.
 */
export function isIdentifier(text: string): boolean {
  return text.length <= maxMessageIdLength && messageIdPattern.test(text);
}

// Institutions

export const finInstIdTypes = ['BICFI', 'LEI', 'otherId', 'internalId'] as const;
export type FinInstIdType = (typeof finInstIdTypes)[number];

export const finInstRoles = ['psp', 'fxp', 'sap'] as const;
export type FinInstRole = (typeof finInstRoles)[number];
/** The roles of endpoints 9 and 10: one, or all of them. */
export const finInstRoleFilters = [...finInstRoles, 'any'] as const;
export type FinInstRoleFilter = (typeof finInstRoleFilters)[number];

/** The canonical form of an identifier: a BIC that ends in `XXX` becomes the BIC8 (REF-4). */
export function canonicalId(type: FinInstIdType, value: string): string {
  const isHeadOffice = type === 'BICFI' && value.length === 11 && value.endsWith('XXX');
  return isHeadOffice ? value.slice(0, 8) : value;
}

// Quotes

/** One quote, UUID v4, lower case. Its last byte is its ordinal within its request. */
export type QuoteId = Branded<'QuoteId'>;
/** One request for quotes, stored as one row: a UUID v4 whose last byte is 00. */
export type QuoteRequestId = Branded<'QuoteRequestId'>;

/**
 * @returns undefined unless the text is a lower-case UUID v4. The id of a request passes here too: it is a
 * well-formed id that names no quote (ordinal 0).
 */
export function parseQuoteId(text: string): QuoteId | undefined {
  return isUuidV4(text) ? (text as QuoteId) : undefined;
}

/** Most quotes of one request: the ordinal is one byte, and 0 is the request itself. */
export const maxQuotesPerRequest = 255;

/** The id of a new request, from the caller's random lower-case UUID v4; 114 random bits remain. */
export function quoteRequestIdFrom(randomUuid: string): QuoteRequestId {
  assert(isUuidV4(randomUuid), 'a quote request id is made from a random UUID v4');
  return `${randomUuid.slice(0, -2)}00` as QuoteRequestId;
}

/** The id of quote `ordinal` (1 to 255, the rank) of a request, so that a quote is found by its request. */
export function quoteIdOf(requestId: QuoteRequestId, ordinal: number): QuoteId {
  assert(
    Number.isInteger(ordinal) && ordinal >= 1 && ordinal <= maxQuotesPerRequest,
    'the ordinal of a quote is 1 to 255',
  );
  return (requestId.slice(0, -2) + ordinal.toString(16).padStart(2, '0')) as QuoteId;
}

/** The inverse of `quoteIdOf`; ordinal 0 means that the id names a request and no quote. */
export function quoteRequestOf(quoteId: QuoteId): { requestId: QuoteRequestId; ordinal: number } {
  return {
    requestId: `${quoteId.slice(0, -2)}00` as QuoteRequestId,
    ordinal: Number.parseInt(quoteId.slice(-2), 16),
  };
}

// LEIs

/** The two check digits that make an LEI of its first 18 characters (ISO 7064 mod 97-10). */
export function leiCheckDigits(first18: string): string {
  assert(/^[A-Z0-9]{18}$/.test(first18), 'an LEI has 18 characters before its check digits');
  return (98 - remainderBy97(`${first18}00`)).toString().padStart(2, '0');
}

/** ISO 17442: form and check digits. */
export function isValidLei(text: string): boolean {
  return isLei(text) && remainderBy97(text) === 1;
}

/** Two letters, two digits, and as long as an IBAN may be; it need not be one. */
export function looksLikeIban(text: string): boolean {
  return /^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/.test(text);
}

/** ISO 7064: the remainder of the number that results when letters are replaced by 10 (A) to 35 (Z). */
export function remainderBy97(text: string): number {
  let remainder = 0;
  for (const character of text) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder;
}
