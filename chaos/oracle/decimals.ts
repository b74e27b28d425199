// Exact decimals for judging money. The settings do not depend on the gateway's settings. Only the functions
// below round.
import { Decimal } from 'decimal.js';

const Exact = Decimal.clone({
  precision: 80,
  rounding: Decimal.ROUND_HALF_UP,
  toExpNeg: -9e15,
  toExpPos: 9e15,
});

export type Amount = Decimal;

export const zero: Amount = new Exact(0);

export function amount(text: unknown): Amount {
  if (typeof text !== 'string' || !/^-?\d+(\.\d+)?$/.test(text)) return new Exact(Number.NaN);
  return new Exact(text);
}

/** Whether two decimal strings are the same number, even if they are written differently. */
export function same(one: unknown, other: unknown): boolean {
  return amount(one).eq(amount(other));
}

export function halfUp(value: Amount, places: number): Amount {
  return value.toDecimalPlaces(places, Decimal.ROUND_HALF_UP);
}

export function down(value: Amount, places: number): Amount {
  return value.toDecimalPlaces(places, Decimal.ROUND_DOWN);
}

/** Divides and rounds up to `places` decimals. The result is exact, because a multiplication checks it. */
export function quotientUp(dividend: Amount, divisor: Amount, places: number): Amount {
  const step = new Exact(10).pow(-places);
  const low = dividend.div(divisor).toDecimalPlaces(places, Decimal.ROUND_DOWN);
  return low.times(divisor).gte(dividend) ? low : low.plus(step);
}

/**
 * FX-8, MON-3: returns the improved rate, rounded half up to 10 decimals, then half up to 11 significant
 * digits.
 */
export function improved(rate: Amount, basisPoints: Amount): Amount {
  if (basisPoints.isZero()) return rate;
  const exact = rate.times(new Exact(1).plus(basisPoints.div(10_000)));
  return exact.toDecimalPlaces(10, Decimal.ROUND_HALF_UP).toSignificantDigits(11, Decimal.ROUND_HALF_UP);
}

export function total(values: readonly Amount[]): Amount {
  return values.reduce((sum, value) => sum.plus(value), zero);
}
