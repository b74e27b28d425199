/**
 * Exact decimals for every amount and rate. Money is never a JavaScript number (MON-1). A function rounds only if its
 * name says so.
 */
import { assert } from '../assert.ts';

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

/**
 * The decimal `units` / 10^`scale`. Integers have no maximum length, so no sum or product is rounded. Outside this file
 * only the type that cannot round is visible. It is a class so that all values share their methods.
 */
class Fixed implements Exact {
  declare readonly [exactBrand]: true;
  readonly units: bigint;
  readonly scale: number;

  constructor(units: bigint, scale: number) {
    this.units = units;
    this.scale = scale;
  }

  plus(other: Exact): Exact {
    const { scale } = asFixed(other);
    if (scale > this.scale) return other.plus(this);
    return new Fixed(this.units + unitsAt(other, this.scale), this.scale);
  }
  minus(other: Exact): Exact {
    const { units, scale } = asFixed(other);
    return this.plus(new Fixed(-units, scale));
  }
  times(other: Exact): Exact {
    const { units, scale } = asFixed(other);
    return new Fixed(this.units * units, this.scale + scale);
  }
  cmp(other: Exact): number {
    const scale = Math.max(this.scale, asFixed(other).scale);
    const [own, others] = [unitsAt(this, scale), unitsAt(other, scale)];
    return own === others ? 0 : own < others ? -1 : 1;
  }
  eq(other: Exact): boolean {
    return this.cmp(other) === 0;
  }
  lt(other: Exact): boolean {
    return this.cmp(other) < 0;
  }
  lte(other: Exact): boolean {
    return this.cmp(other) <= 0;
  }
  gt(other: Exact): boolean {
    return this.cmp(other) > 0;
  }
  gte(other: Exact): boolean {
    return this.cmp(other) >= 0;
  }
  abs(): Exact {
    return this.units < 0n ? new Fixed(-this.units, this.scale) : this;
  }
  isZero(): boolean {
    return this.units === 0n;
  }
}

function asFixed(value: Exact): Fixed {
  assert(value instanceof Fixed, 'only this file makes exact decimals');
  return value;
}

const powersOfTen = [1n];

function tenTo(exponent: number): bigint {
  while (powersOfTen.length <= exponent) powersOfTen.push(10n ** BigInt(powersOfTen.length));
  const power = powersOfTen[exponent];
  assert(power !== undefined, 'numbers of decimals are integers, and their difference is not negative');
  return power;
}

/** The units of a value at a scale that is not smaller than its own. */
function unitsAt(value: Exact, scale: number): bigint {
  const { units, scale: own } = asFixed(value);
  return own === scale ? units : units * tenTo(scale - own);
}

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

export const one: Exact = new Fixed(1n, 0);

/** Whether the text is a valid rate. */
export const isRate = (text: string): boolean => text.length <= maxRateLength && ratePattern.test(text);

/** @returns undefined if the text is no amount (HTTP 400) */
export function parseAmount(text: string): Exact | undefined {
  return amountPattern.test(text) ? fixedOf(text) : undefined;
}

/** @param text a decimal from the configuration or the database; anything else is a defect */
export function exact(text: string): Exact {
  assert(decimalPattern.test(text), 'a stored decimal is plain digits');
  return fixedOf(text);
}

/** @param text plain digits, with or without a point */
function fixedOf(text: string): Fixed {
  const point = text.indexOf('.');
  if (point === -1) return new Fixed(BigInt(text), 0);
  return new Fixed(BigInt(text.slice(0, point) + text.slice(point + 1)), text.length - point - 1);
}

/**
 * MON-2: an amount has at most the currency's `decimalPlaces`, as written. `1000.00` has two, so it does not
 * fit yen.
 */
export function fitsDecimalPlaces(amountText: string, decimalPlaces: number): boolean {
  const point = amountText.indexOf('.');
  return point === -1 || amountText.length - point - 1 <= decimalPlaces;
}

/** Rounds half up to the currency's decimals, for conversions and fees (MON-3). Below zero, half rounds down. */
export function roundHalfUpTo(value: Exact, decimalPlaces: number): Exact {
  const { units, scale } = asFixed(value);
  if (scale <= decimalPlaces) return value;
  const step = tenTo(scale - decimalPlaces);
  const half = units < 0n ? -step / 2n : step / 2n;
  return new Fixed((units + half) / step, decimalPlaces);
}

/** Rounds down to the currency's decimals, so that a maximum with finer decimals is never exceeded. */
export function roundDownTo(value: Exact, decimalPlaces: number): Exact {
  const { units, scale } = asFixed(value);
  if (scale <= decimalPlaces) return value;
  const step = tenTo(scale - decimalPlaces);
  const floor = units / step;
  return new Fixed(units < floor * step ? floor - 1n : floor, decimalPlaces);
}

/**
 * Divides, and rounds down to the currency's decimals. The result is exact, because it divides smallest units
 * as integers. Both arguments must not be negative.
 */
export function divideRoundedDownTo(dividend: Exact, divisor: Exact, decimalPlaces: number): Exact {
  const [above, below] = asIntegers(dividend, divisor, decimalPlaces);
  return new Fixed(above / below, decimalPlaces);
}

/**
 * The quotient rounded up to the currency's decimals, so that the FX provider never gets too little. Exact: the integer
 * quotient grows by one unit unless the remainder is zero. Both arguments must not be negative.
 */
export function divideRoundedUpTo(dividend: Exact, divisor: Exact, decimalPlaces: number): Exact {
  const [above, below] = asIntegers(dividend, divisor, decimalPlaces);
  return new Fixed((above + below - 1n) / below, decimalPlaces);
}

/** Two integers whose quotient is `dividend` / `divisor` in units of 10^-decimalPlaces. */
function asIntegers(dividend: Exact, divisor: Exact, decimalPlaces: number): readonly [bigint, bigint] {
  const [over, under] = [asFixed(dividend), asFixed(divisor)];
  assert(over.units >= 0n && under.units > 0n, 'an amount is divided by a value above zero');
  const exponent = decimalPlaces + under.scale - over.scale;
  if (exponent < 0) return [over.units, under.units * tenTo(-exponent)];
  return [over.units * tenTo(exponent), under.units];
}

/** Rounds an improved rate half up to 10 decimals, then half up to 11 digits. The rate must not be negative. */
export function roundImprovedRate(rate: Exact): Exact {
  const rounded = asFixed(roundHalfUpTo(rate, maxRateDecimals));
  const excess = rounded.units.toString().length - maxRateDigits;
  if (excess <= 0) return rounded;
  const step = tenTo(excess);
  return new Fixed(((rounded.units + step / 2n) / step) * step, rounded.scale);
}

/** The smallest amount of a currency, e.g. 0.01 for two decimals. */
export function unitOf(decimalPlaces: number): Exact {
  return new Fixed(1n, decimalPlaces);
}

/** Renders a decimal without trailing zeros or exponent. Money leaves `core` only in this form (MON-4). */
export function renderDecimal(value: Exact): string {
  const { units, scale } = asFixed(value);
  const text = units.toString();
  if (scale === 0) return text;
  const isNegative = units < 0n;
  const digits = (isNegative ? text.slice(1) : text).padStart(scale + 1, '0');
  const point = digits.length - scale;
  let end = digits.length;
  while (end > point && digits.endsWith('0', end)) end -= 1;
  const whole = digits.slice(0, point);
  return (isNegative ? '-' : '') + (end === point ? whole : `${whole}.${digits.slice(point, end)}`);
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

const renderedNames = new Map<string, string>();
const mostNames = 1_000; // Our answers have a few hundred. The limit protects memory from names in other data.

/** A name with its colon. Each is rendered once, which halves the time of an answer with many short members. */
function renderName(name: string): string {
  const known = renderedNames.get(name);
  if (known !== undefined) return known;
  const rendered = `${JSON.stringify(name)}:`;
  if (renderedNames.size < mostNames) renderedNames.set(name, rendered);
  return rendered;
}

function renderObject(value: JsonObject): string {
  let text = '{';
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member === undefined) continue;
    if (text.length > 1) text += ',';
    text += renderName(name) + renderJson(member);
  }
  return text + '}';
}
