/**
 * An independent reference for `core/money/money.ts`: fractions of BigInt, rounded by integer division.
 * It must not import anything of `core/`, or it would prove nothing.
 */

/** numerator / denominator, denominator above zero. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

export function fraction(text: string): Fraction {
  const [whole = '', decimals = ''] = text.split('.');
  return { numerator: BigInt(whole + decimals), denominator: 10n ** BigInt(decimals.length) };
}

export const add = (a: Fraction, b: Fraction): Fraction => ({
  numerator: a.numerator * b.denominator + b.numerator * a.denominator,
  denominator: a.denominator * b.denominator,
});

export const multiply = (a: Fraction, b: Fraction): Fraction => ({
  numerator: a.numerator * b.numerator,
  denominator: a.denominator * b.denominator,
});

export const divide = (a: Fraction, b: Fraction): Fraction => ({
  numerator: a.numerator * b.denominator,
  denominator: a.denominator * b.numerator,
});

/** Units of 10^-places, e.g. cents for two: the value rounded down, half up or up. Values are not negative. */
export function units(value: Fraction, places: number, direction: 'down' | 'half up' | 'up'): bigint {
  const scaled = value.numerator * 10n ** BigInt(places);
  const down = scaled / value.denominator;
  const remainder = scaled % value.denominator;
  if (direction === 'up') return remainder === 0n ? down : down + 1n;
  if (direction === 'half up') return remainder * 2n >= value.denominator ? down + 1n : down;
  return down;
}

export const ofUnits = (count: bigint, places: number): Fraction => ({
  numerator: count,
  denominator: 10n ** BigInt(places),
});

/** Plain decimal text without trailing zeros. */
export function text(count: bigint, places: number): string {
  const padded = count.toString().padStart(places + 1, '0');
  const whole = padded.slice(0, padded.length - places);
  const decimals = padded.slice(padded.length - places).replace(/0+$/, '');
  return decimals === '' ? whole : `${whole}.${decimals}`;
}

/** MON-3: half up to 10 decimals, then half up to 11 digits. */
export function improvedRate(base: string, basisPoints: string): string {
  const factor = add(fraction('1'), multiply(fraction(basisPoints), fraction('0.0001')));
  const tenDecimals = units(multiply(fraction(base), factor), 10, 'half up');
  const excess = tenDecimals.toString().length - 11;
  if (excess <= 0) return text(tenDecimals, 10);
  const power = 10n ** BigInt(excess);
  return text(((tenDecimals + power / 2n) / power) * power, 10);
}
