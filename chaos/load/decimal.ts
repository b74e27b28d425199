// Exact decimals of the sender's own, in whole units of the last place: it computes fees and amounts by the scheme's
// formulas, not by the code of the service that judges them.

/** @param places how many decimals a unit has, e.g. 2 for cents; digits beyond them must not be there */
function unitsOf(text: string, places: number): bigint {
  const [whole = '', decimals = ''] = text.split('.');
  if (decimals.length > places) throw new Error(`${text} has more than ${places} decimals`);
  return BigInt(whole + decimals.padEnd(places, '0'));
}

/** Plain decimal text without trailing zeros. */
function textOf(units: bigint, places: number): string {
  const digits = units.toString().padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  let end = digits.length;
  while (end > whole.length && digits[end - 1] === '0') end -= 1;
  return end === whole.length ? whole : `${whole}.${digits.slice(whole.length, end)}`;
}

const decimalsOf = (text: string) => text.split('.')[1]?.length ?? 0;

/** a / b, half up; both not negative. */
function dividedHalfUp(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}

/** One decimal times another, half up to so many decimals (MON-3). */
export function times(one: string, other: string, places: number): string {
  const [a, b] = [decimalsOf(one), decimalsOf(other)];
  const product = unitsOf(one, a) * unitsOf(other, b);
  return textOf(dividedHalfUp(product * 10n ** BigInt(places), 10n ** BigInt(a + b)), places);
}

/** One decimal divided by another, half up to so many decimals. */
export function dividedBy(one: string, other: string, places: number): string {
  const [a, b] = [decimalsOf(one), decimalsOf(other)];
  const dividend = unitsOf(one, a) * 10n ** BigInt(b + places);
  return textOf(dividedHalfUp(dividend, unitsOf(other, b) * 10n ** BigInt(a)), places);
}

/** A fee by its formula: nominal and so many per cent of the amount, half up to the currency's decimals (FEE-2). */
export function feeOn(
  amount: string,
  formula: { readonly nominal: string; readonly percent: string },
  places: number,
): string {
  const scale = Math.max(decimalsOf(formula.nominal), decimalsOf(amount) + decimalsOf(formula.percent) + 2);
  const share =
    unitsOf(amount, decimalsOf(amount)) *
    unitsOf(formula.percent, decimalsOf(formula.percent)) *
    10n ** BigInt(scale - decimalsOf(amount) - decimalsOf(formula.percent) - 2);
  const exact = unitsOf(formula.nominal, scale) + share;
  return textOf(dividedHalfUp(exact * 10n ** BigInt(places), 10n ** BigInt(scale)), places);
}

/** The next amount above, by one unit of the currency. */
export const oneUnitMore = (amount: string, places: number) => textOf(unitsOf(amount, places) + 1n, places);
