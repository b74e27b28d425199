/**
 * Lowers requested amounts to the maxima of both payment systems (QUO-4). Fees are computed later, from the capped
 * amounts.
 */
import { fromDestination, fromSource, type SettlementAmounts } from './fee.ts';
import { exact, roundDownTo, type Exact } from './money.ts';

/**
 * The largest interbank settlement amounts that the two payment systems accept, as multiples of each currency's
 * smallest unit.
 */
export interface Maxima {
  readonly source: Exact;
  readonly destination: Exact;
  readonly sourceDecimalPlaces: number;
  readonly destinationDecimalPlaces: number;
}

/** Reads stored maxima. A maximum with too many decimals for its currency is rounded down. */
export function readMaxima(stored: {
  sourceMaximum: string;
  destinationMaximum: string;
  sourceDecimalPlaces: number;
  destinationDecimalPlaces: number;
}): Maxima {
  const { sourceDecimalPlaces, destinationDecimalPlaces } = stored;
  return {
    source: roundDownTo(exact(stored.sourceMaximum), sourceDecimalPlaces),
    destination: roundDownTo(exact(stored.destinationMaximum), destinationDecimalPlaces),
    sourceDecimalPlaces,
    destinationDecimalPlaces,
  };
}

export interface CappedAmounts extends SettlementAmounts {
  /** Whether the requested source amount exceeded the maximum. */
  readonly sourceCapped: boolean;
  /** Whether the requested destination amount exceeded the maximum. */
  readonly destinationCapped: boolean;
}

/**
 * Returns the requested amounts if both systems accept them, else the largest pair within both maxima.
 *
 * It first tries the source maximum S, with S x rate rounded half up. If that exceeds the destination maximum M, the
 * pair is M and M / rate rounded up. The latter cannot exceed S: S x rate is then above M, and S has no finer decimals
 * than its currency.
 */
export function capToMaxima(asked: SettlementAmounts, rate: Exact, maxima: Maxima): CappedAmounts {
  const sourceCapped = asked.source.gt(maxima.source);
  const destinationCapped = asked.destination.gt(maxima.destination);
  if (!sourceCapped && !destinationCapped) {
    return { source: asked.source, destination: asked.destination, sourceCapped, destinationCapped };
  }
  const atSourceMaximum = fromSource(maxima.source, rate, maxima.destinationDecimalPlaces);
  const { source, destination } = atSourceMaximum.destination.lte(maxima.destination)
    ? atSourceMaximum
    : fromDestination(maxima.destination, rate, maxima.sourceDecimalPlaces);
  return { source, destination, sourceCapped, destinationCapped };
}
