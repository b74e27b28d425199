// Exact decimals for the sender. It computes fees and amounts by the scheme's formulas, and not with the code under
// test.
// Input and output are plain decimal text; everything is rounded half up (MON-3).
import { Decimal } from 'decimal.js';

const Exact = Decimal.clone({
  precision: 60,
  rounding: Decimal.ROUND_HALF_UP,
  toExpNeg: -100,
  toExpPos: 100,
});

/** The product of two decimals, rounded to `places` decimals. */
export const times = (one: string, other: string, places: number) =>
  new Exact(one).times(other).toDecimalPlaces(places).toFixed();

export const dividedBy = (one: string, other: string, places: number) =>
  new Exact(one).div(other).toDecimalPlaces(places).toFixed();

/** A fee by its formula, nominal plus a percentage of the amount, rounded to the currency's decimals (FEE-2). */
export const feeOn = (
  amount: string,
  { nominal, percent }: { readonly nominal: string; readonly percent: string },
  places: number,
) => new Exact(amount).times(percent).div(100).plus(nominal).toDecimalPlaces(places).toFixed();

/** The amount plus the smallest unit of its currency. */
export const oneUnitMore = (amount: string, places: number) =>
  new Exact(amount).plus(new Exact(10).pow(-places)).toFixed();
