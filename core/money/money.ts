/**
 * Exact decimals for every amount and rate. Money is never a JavaScript number (MON-1). A function rounds only if its
 * name says so.
 */
import { Decimal } from 'decimal.js';
import { assert } from '../assert.ts';

/**
 * A precision of 60 digits holds the product of any accepted amount, rate and fee ratio without rounding. The exponent
 * limits rule out exponential notation.
 */
const ExactDecimal = Decimal.clone({
  precision: 60,
  rounding: Decimal.ROUND_HALF_UP,
  toExpNeg: -9e15,
  toExpPos: 9e15,
});

declare const exactBrand: unique symbol;

/** An exact decimal. It has no method that can round; only functions of this file can round it. */
export interface Exact {
  readonly [exactBrand]: true;
  plus(other: Exact): Exact;
  minus(other: Exact): Exact;
  times(other: Exact): Exact;
  eq(other: Exact): boolean;
  lt(other: Exact): boolean;
  lte(other: Exact): boolean;
  gt(other: Exact): boolean;
  gte(other: Exact): boolean;
  abs(): Exact;
  isZero(): boolean;
  /** Negative if this is less than the other, zero if equal, positive if greater. */
  cmp(other: Exact): number;
}

// Both types denote the same runtime object; outside this file, only the type that cannot round is visible.
const asDecimal = (value: Exact): Decimal => value as unknown as Decimal;
const asExact = (value: Decimal): Exact => value as unknown as Exact;

/** An amount: at most 18 digits before the point and 5 after it, without sign, exponent or leading zeros. */
export const amountPattern = /^(0|[1-9]\d{0,17})(\.\d{1,5})?$/;
/**
 * A rate: above zero, at most 10 decimals. `maxRateLength` limits it to 11 digits. The pattern has no look-ahead, so
 * that clients in Go and Rust can use it.
 */
export const ratePattern = /^([1-9]\d{0,10}(\.\d{1,10})?|0\.0{0,9}[1-9]\d{0,9})$/;
/** Basis points, 0 to 10000 (FX-6), in the form of an amount. */
export const basisPointsPattern = /^(10000(\.0{1,5})?|(0|[1-9]\d{0,3})(\.\d{1,5})?)$/;
/** A decimal from the configuration or the database: plain digits, not negative. */
export const decimalPattern = /^(0|[1-9]\d*)(\.\d+)?$/;

export const maxRateDigits = 11; // as written, including a leading zero
export const maxRateLength = maxRateDigits + 1; // includes the decimal point
const maxRateDecimals = 10;

export const one: Exact = asExact(new ExactDecimal(1));

/** Whether the text is a valid rate. */
export const isRate = (text: string): boolean => text.length <= maxRateLength && ratePattern.test(text);

/** @returns undefined if the text is no amount (HTTP 400) */
export function parseAmount(text: string): Exact | undefined {
  return amountPattern.test(text) ? asExact(new ExactDecimal(text)) : undefined;
}

/** @param text a decimal from the configuration or the database; anything else is a defect */
export function exact(text: string): Exact {
  assert(decimalPattern.test(text), 'a stored decimal is plain digits');
  return asExact(new ExactDecimal(text));
}

/**
 * MON-2: an amount has at most the currency's `decimalPlaces`, as written. `1000.00` has two, so it does not
 * fit yen.
 */
export function fitsDecimalPlaces(amountText: string, decimalPlaces: number): boolean {
  const point = amountText.indexOf('.');
  return point === -1 || amountText.length - point - 1 <= decimalPlaces;
}

/** Rounds half up to the currency's decimals, for conversions and fees (MON-3). */
export function roundHalfUpTo(value: Exact, decimalPlaces: number): Exact {
  return asExact(asDecimal(value).toDecimalPlaces(decimalPlaces, Decimal.ROUND_HALF_UP));
}

/** Rounds down to the currency's decimals, so that a maximum with finer decimals is never exceeded. */
export function roundDownTo(value: Exact, decimalPlaces: number): Exact {
  return asExact(asDecimal(value).toDecimalPlaces(decimalPlaces, Decimal.ROUND_FLOOR));
}

/**
 * Divides, and rounds down to the currency's decimals. The result is exact, because it divides smallest units
 * as integers.
 */
export function divideRoundedDownTo(dividend: Exact, divisor: Exact, decimalPlaces: number): Exact {
  const units = asDecimal(dividend).times(unitsPerWhole(decimalPlaces)).divToInt(asDecimal(divisor));
  return asExact(units.times(wholesPerUnit(decimalPlaces)));
}

/**
 * The quotient rounded up to the currency's decimals, so that the FX provider never gets too little. Exact: the integer
 * quotient grows by one unit unless the remainder is zero. Both arguments must not be negative.
 */
export function divideRoundedUpTo(dividend: Exact, divisor: Exact, decimalPlaces: number): Exact {
  const dividendUnits = asDecimal(dividend).times(unitsPerWhole(decimalPlaces));
  const units = dividendUnits.divToInt(asDecimal(divisor));
  const dividesEvenly = units.times(asDecimal(divisor)).eq(dividendUnits);
  return asExact((dividesEvenly ? units : units.plus(1)).times(wholesPerUnit(decimalPlaces)));
}

/** Rounds an improved rate half up to 10 decimals, then half up to 11 digits. */
export function roundImprovedRate(rate: Exact): Exact {
  return asExact(
    asDecimal(rate)
      .toDecimalPlaces(maxRateDecimals, Decimal.ROUND_HALF_UP)
      .toSignificantDigits(maxRateDigits, Decimal.ROUND_HALF_UP),
  );
}

/** The smallest amount of a currency, e.g. 0.01 for two decimals. */
export function unitOf(decimalPlaces: number): Exact {
  return asExact(wholesPerUnit(decimalPlaces));
}

const tenTo = (exponent: number): Decimal => new ExactDecimal(`1e${exponent}`);
const powersUp = [0, 1, 2, 3, 4, 5].map((places) => tenTo(places)); // at most 5 decimals
const powersDown = [0, 1, 2, 3, 4, 5].map((places) => tenTo(-places));

function unitsPerWhole(decimalPlaces: number): Decimal {
  const units = powersUp[decimalPlaces];
  assert(units !== undefined, 'a currency has 0 to 5 decimals');
  return units;
}

function wholesPerUnit(decimalPlaces: number): Decimal {
  const wholes = powersDown[decimalPlaces];
  assert(wholes !== undefined, 'a currency has 0 to 5 decimals');
  return wholes;
}

/** Renders a decimal without trailing zeros or exponent. Money leaves `core` only in this form (MON-4). */
export function renderDecimal(value: Exact): string {
  return asDecimal(value).toFixed();
}

/** Strips trailing zeros from a stored decimal, e.g. a Postgres `numeric`: `24900.00000` becomes `24900`. */
export function plainDecimal(text: string): string {
  assert(decimalPattern.test(text), 'a stored decimal is plain digits');
  return text.includes('.') ? text.replace(/\.?(?<!0)0+$/, '') : text;
}

// Exact numbers in JSON

const digits: unique symbol = Symbol('digits');

/** JSON text to be written verbatim: the digits of a number, or a part that was rendered before. */
export interface JsonNumber {
  readonly [digits]: string;
}

export type JsonValue =
  string | number | boolean | null | undefined | Date | JsonNumber | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

const jsonNumberForm = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/** Marks a decimal text, so that `renderJson` writes it as a JSON number with exactly these digits. */
export function jsonNumber(text: string): JsonNumber {
  assert(jsonNumberForm.test(text), 'a JSON number is written in plain digits');
  return { [digits]: text };
}

/** Renders a value once, so that many answers can share the text. */
export function renderedJson(value: JsonValue): JsonNumber {
  return { [digits]: renderJson(value) };
}

/**
 * Renders JSON like `JSON.stringify` without indentation, but writes marked numbers as bare digits. Plain values and
 * dates only: the type excludes other objects with `toJSON`.
 */
export function renderJson(value: JsonValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null';
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  return value === null || value === undefined ? 'null' : renderComposite(value);
}

function renderComposite(value: Date | JsonNumber | readonly JsonValue[] | JsonObject): string {
  if (value instanceof Date) return JSON.stringify(value);
  if (isArray(value)) return renderArray(value);
  const marked = (value as Partial<JsonNumber>)[digits];
  return marked ?? renderObject(value as JsonObject);
}

/** `Array.isArray` that also narrows readonly arrays. */
const isArray = (value: object): value is readonly JsonValue[] => Array.isArray(value);

function renderArray(items: readonly JsonValue[]): string {
  let text = '[';
  for (let index = 0; index < items.length; index += 1) {
    if (index > 0) text += ',';
    text += renderJson(items[index]);
  }
  return text + ']';
}

function renderObject(value: JsonObject): string {
  let text = '{';
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member === undefined) continue;
    if (text.length > 1) text += ',';
    text += `${JSON.stringify(name)}:${renderJson(member)}`;
  }
  return text + '}';
}
