// Exact decimals of the sender's own: it computes fees and amounts by the scheme's formulas, not by the code of the service
// that judges them. Plain decimal text in and out; everything is rounded half up (MON-3).
import { Decimal } from 'decimal.js';

const Exact = Decimal.clone({
  precision: 60,
  rounding: Decimal.ROUND_HALF_UP,
  toExpNeg: -100,
  toExpPos: 100,
});

/** One decimal times another, up to so many decimals. */
export const times = (one: string, other: string, places: number) =>
  new Exact(one).times(other).toDecimalPlaces(places).toFixed();

export const dividedBy = (one: string, other: string, places: number) =>
  new Exact(one).div(other).toDecimalPlaces(places).toFixed();

/** A fee by its formula: nominal and so many per cent of the amount, to the currency's decimals (FEE-2). */
export const feeOn = (
  amount: string,
  { nominal, percent }: { readonly nominal: string; readonly percent: string },
  places: number,
) => new Exact(amount).times(percent).div(100).plus(nominal).toDecimalPlaces(places).toFixed();

/** The next amount above, by one unit of the currency. */
export const oneUnitMore = (amount: string, places: number) =>
  new Exact(amount).plus(new Exact(10).pow(-places)).toFixed();
