/**
 * Checks the text of values that passed the schema, before they become numbers or times. Nothing is rounded
 * or compared as a binary float.
 */
import { maxRateDigits } from '../money/money.ts';
import { showsNothing } from './tree.ts';

/** @param decimal a plain decimal such as `0.00` */
export function isZero(decimal: string): boolean {
  return !/[1-9]/.test(decimal);
}

/**
 * Whether a rate has more digits, as written, than MON-1 allows. The schema ignores trailing zeros; this
 * check counts them.
 */
export function rateFault(rate: string): boolean {
  return rate.replaceAll('.', '').length > maxRateDigits;
}

/**
 * Converts a date time with time zone to epoch milliseconds, and truncates anything finer.
 * @param dateTime valid by the schema: four-digit year, seconds, `Z` or an offset
 * @returns undefined if it is no date time
 */
export function parseDateTime(dateTime: string): number | undefined {
  const epochMs = Date.parse(dateTime.replace(/(\.[0-9]{3})[0-9]+/, '$1'));
  return Number.isNaN(epochMs) ? undefined : epochMs;
}

/** Code points that are forbidden in human-readable text, or that XML cannot carry. */
const unreadable = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFFFE\uFFFF]/gu;

/**
 * Converts a text to valid `ReadableText` of the schemas: replaces forbidden characters by question marks and cuts it.
 * @param maxLength code points
 * @returns undefined if nothing visible is left
 */
export function readable(text: string, maxLength: number): string | undefined {
  const characters = Array.from(text.replaceAll(unreadable, '?')).slice(0, maxLength);
  const cut = characters.join('');
  return showsNothing(cut) ? undefined : cut;
}

/** The kinds of value that a refusal may quote, each with its allowed form. */
const shapes = {
  code: /^[A-Za-z0-9]{1,5}$/,
  number: /^[0-9.,+-]{1,30}$/,
  moment: /^[0-9TZ:.+-]{1,40}$/,
} as const;
export type VisibleKind = keyof typeof shapes;

/** Elements with personal data; nothing inside them may be quoted. */
const personal = /\/(Dbtr|Cdtr|UltmtDbtr|UltmtCdtr|Pty|PstlAdr|CtctDtls)(\[[0-9]+\])?\//;

/** @returns the value if a refusal may quote it */
export function visible(kind: VisibleKind, xpath: string, value: string): string | undefined {
  return shapes[kind].test(value) && !personal.test(xpath) ? value : undefined;
}
