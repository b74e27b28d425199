/**
 * Where it stands: at every border of the way of a payment; text becomes an identifier here, once.
 * It must not look anything up, and makes no identifier of its own: randomness is an argument.
 */
import { assert } from './assert.ts';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** End-to-end key of a payment: UUID v4, lower case (MSG-5). */
export type Uetr = Branded<'Uetr'>;
/** One quote, UUID v4, lower case (QUO-7). Its last byte is its ordinal within its request. */
export type QuoteId = Branded<'QuoteId'>;
/** One request for quotes, the row that holds them all (QUO-10): UUID v4 whose last byte is 00. */
export type QuoteRequestId = Branded<'QuoteRequestId'>;
/** BIC8 or BIC11 as written; compare by `normaliseBic`. */
export type Bic = Branded<'Bic'>;
/** ISO 17442, check digits verified. */
export type Lei = Branded<'Lei'>;
/** ISO 3166 alpha-2 in form. */
export type CountryCode = Branded<'CountryCode'>;
/** ISO 4217 alphabetic in form. */
export type CurrencyCode = Branded<'CurrencyCode'>;
/** Payment system id (UPS), e.g. `SGDFAST`. */
export type ClearingSystemId = Branded<'ClearingSystemId'>;

export const finInstIdTypes = ['BICFI', 'LEI', 'otherId', 'internalId'] as const; // REF-4
export type FinInstIdType = (typeof finInstIdTypes)[number];

const finInstRoles = ['psp', 'fxp', 'sap'] as const;
export type FinInstRole = (typeof finInstRoles)[number];
/** What endpoints 9 and 10 take: a role, or all of them. */
export type FinInstRoleFilter = FinInstRole | 'any';

const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const anyUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const bic = /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/;
const lei = /^[A-Z0-9]{18}[0-9]{2}$/;
const countryCode = /^[A-Z]{2}$/;
const currencyCode = /^[A-Z]{3}$/;
const clearingSystemId = /^[A-Z0-9]{1,35}$/;

/** @returns undefined unless the text is a lower-case UUID v4 (MSG-5) */
export function parseUetr(text: string): Uetr | undefined {
  return uuidV4.test(text) ? (text as Uetr) : undefined;
}

/** A UUID of any version and case: what REF-3 wants before it answers 404 instead of 400. */
export function isUuid(text: string): boolean {
  return anyUuid.test(text);
}

/**
 * @returns undefined unless the text is a lower-case UUID v4 (QUO-7). The id of a request passes here too: it is a
 * well-formed id that names no quote (ordinal 0).
 */
export function parseQuoteId(text: string): QuoteId | undefined {
  return uuidV4.test(text) ? (text as QuoteId) : undefined;
}

/** @returns undefined unless the text is a lower-case UUID v4 whose last byte is 00 */
export function parseQuoteRequestId(text: string): QuoteRequestId | undefined {
  return uuidV4.test(text) && text.endsWith('00') ? (text as QuoteRequestId) : undefined;
}

/** Quotes that one request can hold: the ordinal is one byte, and 0 names the request itself. */
export const maxQuotesPerRequest = 255;

/** The id of a new request, from a random lower-case UUID v4 that the caller drew; 114 random bits remain. */
export function quoteRequestIdFrom(randomUuid: string): QuoteRequestId {
  assert(uuidV4.test(randomUuid), 'a quote request id is made from a random UUID v4');
  return `${randomUuid.slice(0, -2)}00` as QuoteRequestId;
}

/** The id of quote `ordinal` (1 to 255, the rank) of a request, so that a quote is found by its request (QUO-10). */
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

/** @returns undefined unless the text has the form of a BIC8 or BIC11 */
export function parseBic(text: string): Bic | undefined {
  return bic.test(text) ? (text as Bic) : undefined;
}

/** One spelling per institution: a BIC8 and the same BIC with `XXX` become the BIC8 (REF-4). */
export function normaliseBic(value: Bic): Bic {
  return value.length === 11 && value.endsWith('XXX') ? (value.slice(0, 8) as Bic) : value;
}

/** @returns undefined unless the text has 20 characters of ISO 17442 and its check digits hold (ISO 7064 mod 97-10) */
export function parseLei(text: string): Lei | undefined {
  return lei.test(text) && remainderBy97(text) === 1 ? (text as Lei) : undefined;
}

/** The two check digits that make an LEI of its first 18 characters (ISO 7064 mod 97-10). */
export function leiCheckDigits(first18: string): string {
  assert(/^[A-Z0-9]{18}$/.test(first18), 'an LEI has 18 characters before its check digits');
  return (98 - remainderBy97(`${first18}00`)).toString().padStart(2, '0');
}

/** Remainder of the number that is written when letters stand for 10 (A) to 35 (Z). */
function remainderBy97(text: string): number {
  let remainder = 0;
  for (const character of text) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder;
}

export function parseCountryCode(text: string): CountryCode | undefined {
  return countryCode.test(text) ? (text as CountryCode) : undefined;
}

export function parseCurrencyCode(text: string): CurrencyCode | undefined {
  return currencyCode.test(text) ? (text as CurrencyCode) : undefined;
}

export function parseClearingSystemId(text: string): ClearingSystemId | undefined {
  return clearingSystemId.test(text) ? (text as ClearingSystemId) : undefined;
}

export function isFinInstIdType(text: string): text is FinInstIdType {
  return (finInstIdTypes as readonly string[]).includes(text);
}

export function isFinInstRole(text: string): text is FinInstRole {
  return (finInstRoles as readonly string[]).includes(text);
}

export function isFinInstRoleFilter(text: string): text is FinInstRoleFilter {
  return text === 'any' || isFinInstRole(text);
}
