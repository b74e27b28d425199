// Exact decimals for the sender, who computes fees and amounts by the scheme's formulas, without the code
// under test. Inputs and results are plain decimal strings. All results are rounded half up (MON-3).
import { Decimal } from 'decimal.js';

const Exact = Decimal.clone({
  precision: 60,
  rounding: Decimal.ROUND_HALF_UP,
  toExpNeg: -100,
  toExpPos: 100,
});

/** Multiplies two decimals and rounds to `places` decimals. */
export const times = (one: string, other: string, places: number) =>
  new Exact(one).times(other).toDecimalPlaces(places).toFixed();

export const dividedBy = (one: string, other: string, places: number) =>
  new Exact(one).div(other).toDecimalPlaces(places).toFixed();

/** FEE-2: returns the nominal fee plus a percentage of the amount, rounded to the currency's decimals. */
export const feeOn = (
  amount: string,
  { nominal, percent }: { readonly nominal: string; readonly percent: string },
  places: number,
) => new Exact(amount).times(percent).div(100).plus(nominal).toDecimalPlaces(places).toFixed();

/** Adds the smallest unit of the currency to the amount. */
export const oneUnitMore = (amount: string, places: number) =>
  new Exact(amount).plus(new Exact(10).pow(-places)).toFixed();
