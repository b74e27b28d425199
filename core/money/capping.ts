/**
 * Lowers the amounts asked for to the maxima of both payment systems (QUO-4). Fees are computed later, from the capped
 * pair.
 */
import { fromDestination, fromSource, type SettlementAmounts } from './fee.ts';
import { exact, roundDownTo, type Exact } from './money.ts';

/** The largest interbank settlement amounts that the two payment systems take, on their currencies' grids. */
export interface Maxima {
  readonly source: Exact;
  readonly destination: Exact;
  readonly sourceDecimalPlaces: number;
  readonly destinationDecimalPlaces: number;
}

/** Maxima as stored. A maximum between two amounts of its currency counts as the lower one. */
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
  /** The source maximum was exceeded by what was asked. */
  readonly sourceCapped: boolean;
  /** The destination maximum was exceeded by what was asked. */
  readonly destinationCapped: boolean;
}

/**
 * The amounts asked if both systems take them, else the largest pair within both maxima.
 *
 * With the source at its maximum S, S x rate half up is tried first; if that exceeds the destination maximum M, M
 * binds, and M / rate up cannot exceed S, because S x rate is then above M and S lies on its currency's grid.
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
