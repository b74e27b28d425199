// The forms of path, query and body values, shared by all routes. A value of another form is answered with
// 400.
import { z } from '@hono/zod-openapi';
import {
  countryCodePattern,
  currencyCodePattern,
  finInstIdTypes,
  isIdentifier,
  uuidPattern,
} from '../../../core/ids.ts';
import {
  amountPattern,
  basisPointsPattern,
  isRate,
  maxRateLength,
  ratePattern,
} from '../../../core/money/money.ts';
import { invalidRequest, type Problem } from '../problems/problem.ts';

/** The form of Isthmus ids. A UETR must additionally be a UUID of version 4. */
export const uuid = z.string().regex(uuidPattern, 'must be a lower-case UUID');

export const countryCode = z
  .string()
  .regex(countryCodePattern, 'must be two capital letters (ISO 3166 alpha-2), as in SG')
  .openapi({ example: 'SG' });

export const currencyCode = z
  .string()
  .regex(currencyCodePattern, 'must be three capital letters (ISO 4217), as in SGD')
  .openapi({ example: 'SGD' });

export const amount = z
  .string()
  .regex(
    amountPattern,
    'must be a plain decimal: no sign or exponent, at most 18 digits before and 5 after the point, as in 1000',
  )
  .openapi({ description: 'Plain decimal: no sign, no exponent, no leading zeros (MON-1)', example: '1000' });

export const rate = z
  .string()
  .refine(isRate, {
    error:
      'must be a plain decimal above zero, at most 11 digits in all, at most 10 after the point, as in 25',
  })
  .openapi({
    description: 'Plain decimal above zero, at most 11 digits in all, at most 10 after the point (MON-1)',
    pattern: ratePattern.source,
    maxLength: maxRateLength,
    example: '25',
  });

export const basisPoints = z
  .string()
  .refine((text) => basisPointsPattern.test(text), {
    error: 'must be a plain decimal from 0 to 10000, as in 10',
  })
  .openapi({
    description: 'Basis points: plain decimal from 0 to 10000 (FX-6)',
    pattern: basisPointsPattern.source,
    example: '10',
  });

export const finInstIdType = z
  .enum(finInstIdTypes)
  .openapi({ description: 'Kind of identifier (REF-4)', example: 'BICFI' });

/** Accepts any printable text, because an identifier that does not exist is unknown, not malformed. */
export const finInstId = z
  .string()
  .regex(/^[!-~]{1,70}$/, 'must be 1 to 70 printable ASCII characters without spaces, as in LOTUSGS0')
  .openapi({ description: 'Identifier of the given kind', example: 'LOTUSGS0' });

export const corridorPath = z.object({
  sourceCountry: countryCode,
  sourceCurrency: currencyCode,
  destinationCountry: countryCode.openapi({ example: 'TH' }),
  destinationCurrency: currencyCode.openapi({ example: 'THB' }),
});

/**
 * A date and time with an offset (RFC 3339). An unencoded `+` in a query arrives as a space, so a space is
 * accepted too.
 */
export const instant = z
  .string()
  .transform((text) => text.replace(/ (?=\d\d:\d\d$)/, '+'))
  .refine((text) => momentOf(text) !== undefined, {
    error: 'must be a date and time of the calendar with an offset (RFC 3339), as in 2026-01-05T04:00:00Z',
  })
  .transform((text) => new Date(text))
  .openapi({ type: 'string', format: 'date-time', example: '2026-01-05T04:00:00Z' });

/** An id as in an ISO 20022 message. */
export const identifier = z
  .string()
  .refine(isIdentifier, { error: 'must be 1 to 35 characters, as in an ISO 20022 message' });

/** Any printable text, such as a client id. A name that does not exist is unknown, not malformed. */
export const word = z
  .string()
  .regex(/^[!-~]{1,70}$/, 'must be 1 to 70 printable ASCII characters without spaces');

export const seconds = z.string().regex(/^\d{1,9}$/, 'must be a whole number of seconds');

/** A whole UTC day. The value is the start of the day. */
export const day = z
  .string()
  .refine((text) => /^\d{4}-\d\d-\d\d$/.test(text) && momentOf(`${text}T00:00Z`) !== undefined, {
    error: 'must be a day of the calendar, as in 2026-11-21',
  })
  .transform((text) => new Date(`${text}T00:00:00Z`))
  .openapi({ type: 'string', format: 'date', description: 'A whole day, UTC', example: '2026-11-21' });

/** Refuses an empty range, because it is a mistake that an answer without rows would hide. */
export function emptyRange({
  from,
  to,
}: {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}): Problem | undefined {
  if (from === undefined || to === undefined || from < to) return undefined;
  return invalidRequest([{ parameter: 'to', detail: 'must be later than from: nothing is between them' }]);
}

const rfc3339 = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Epoch milliseconds of an RFC 3339 time; undefined if the text is not such a time. Date.parse would read 30
 * February as 2 March.
 */
export function momentOf(text: string): number | undefined {
  const [, day] = rfc3339.exec(text) ?? [];
  const midnight = new Date(`${day ?? ''}T00:00:00Z`);
  const isDay = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day ?? '-');
  const at = Date.parse(text);
  return isDay && !Number.isNaN(at) ? at : undefined;
}

/** A parameter with one or several of these words, separated by commas. */
export function severalOf<const Words extends readonly string[]>(words: Words) {
  return z
    .string()
    .refine((text) => text.split(',').every((word) => words.includes(word)), {
      error: `must be one or several of ${words.join(', ')}, with commas`,
    })
    .transform((text) => text.split(',') as Words[number][])
    .openapi({ type: 'string', description: `One or several of ${words.join(', ')}, with commas` });
}

const mostMinutes = 1_440;

/** The `minutes` parameter: the length of the time range before now, at most a day. */
export const minutesBack = (usual: number, description: string) =>
  z
    .string()
    .refine((text) => /^[1-9]\d{0,3}$/.test(text) && Number(text) <= mostMinutes, {
      error: `must be a whole number from 1 to ${mostMinutes}`,
    })
    .optional()
    .openapi({ type: 'integer', default: usual, description });
