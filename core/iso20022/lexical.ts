/**
 * Checks on the text of values, before they become numbers or times. The schema has found them valid; nothing is
 * rounded or compared as a binary float.
 */

import { maxRateDigits } from '../money/money.ts';
import { showsNothing } from './white-space.ts';

/** @param decimal a plain decimal such as `0.00` */
export function isZero(decimal: string): boolean {
  return !/[1-9]/.test(decimal);
}

/** Whether a rate has more digits, as written, than MON-1 allows; the schema counts without trailing zeros. */
export function rateFault(rate: string): boolean {
  return rate.replaceAll('.', '').length > maxRateDigits;
}

/**
 * Milliseconds since 1970 UTC of a date time with time zone; anything finer than a millisecond is cut off.
 * @param dateTime valid by the schema: four-digit year, seconds, `Z` or an offset
 * @returns undefined if it is not one
 */
export function parseDateTime(dateTime: string): number | undefined {
  const epochMs = Date.parse(dateTime.replace(/(\.[0-9]{3})[0-9]+/, '$1'));
  return Number.isNaN(epochMs) ? undefined : epochMs;
}

/** Code points that human-readable text may not contain, or XML cannot carry. */
const unreadable = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFFFE\uFFFF]/gu;

/**
 * Makes a text valid `ReadableText` of the schemas: forbidden characters become question marks, and what is too long is
 * cut.
 * @param maxLength code points
 * @returns undefined if nothing readable is left
 */
export function readable(text: string, maxLength: number): string | undefined {
  const characters = Array.from(text.replaceAll(unreadable, '?')).slice(0, maxLength);
  const cut = characters.join('');
  return showsNothing(cut) ? undefined : cut;
}
