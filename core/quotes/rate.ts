/** Applies improvements to the rates that FX providers post (FX-8). `core/quotes/quote.ts` chooses between tiers. */
import { exact, maxRateDigits, one, renderDecimal, roundImprovedRate, type Exact } from '../money/money.ts';

const wholePerBasisPoint = exact('0.0001');
const firstRateTooLong = exact(`1${'0'.repeat(maxRateDigits)}`);

/**
 * `rate` x (1 + basis points / 10000), rounded half up to 10 decimals, then to 11 digits.
 * @param basisPoints 0 to 10000
 * @returns undefined if the result has more than 11 digits before the point, which no message can carry
 */
export function improveRate(rate: Exact, basisPoints: Exact): Exact | undefined {
  if (basisPoints.isZero()) return rate;
  const improved = roundImprovedRate(rate.times(one.plus(basisPoints.times(wholePerBasisPoint))));
  return improved.lt(firstRateTooLong) ? improved : undefined;
}

/** Like `improveRate`, for decimal strings; a tier stores the result. */
export function improveRateText(rate: string, basisPoints: string): string | undefined {
  const improved = improveRate(exact(rate), exact(basisPoints));
  return improved === undefined ? undefined : renderDecimal(improved);
}
