// Recomputes quotes from rates, improvements, maxima and fee formulas by the rules FEE-1 to FEE-6, FX-8 and
// QUO-2 to QUO-5. It follows the text of the rules and shares no code with the gateway.
import { amount, down, halfUp, improved, quotientUp, type Amount } from './decimals.ts';
import type { FeeFormula } from './reference.ts';

/** The scheme's terms that apply to all quotes of a request. */
export interface Terms {
  readonly sourcePlaces: number;
  readonly destinationPlaces: number;
  readonly sourceMaximum: Amount;
  readonly destinationMaximum: Amount;
  readonly schemeFee: FeeFormula;
  readonly creditorAgentFee: FeeFormula;
}

/** A rate on offer from an FX provider: its base rate or a tier rate. */
export interface Offered {
  readonly rateId: string;
  readonly threshold: Amount;
  readonly rate: Amount;
}

export interface Priced {
  readonly rateId: string;
  readonly rate: Amount;
  readonly source: Amount;
  readonly destination: Amount;
  readonly isSourceCapped: boolean;
  readonly isDestinationCapped: boolean;
  readonly schemeFee: Amount;
  readonly creditorAgentFee: Amount;
}

/** FEE-1, FEE-2, MON-3: the fee on a settlement amount, rounded half up. */
function feeOn(settlement: Amount, { nominal, ratio }: FeeFormula, places: number): Amount {
  return halfUp(nominal.plus(ratio.times(settlement)), places);
}

/**
 * FEE-4: returns the smallest settlement amount D with D - fee(D) = C, where C is the credited amount. D -
 * fee(D) never falls as D grows, so the search goes up from a lower bound.
 */
function settlementFor(credited: Amount, formula: FeeFormula, places: number): Amount {
  const step = amount('1').div(amount('10').pow(places));
  const kept = amount('1').minus(formula.ratio);
  let settlement = down(credited.plus(formula.nominal).minus(step).div(kept), places).minus(step.times(2));
  for (;;) {
    if (settlement.gt(0) && settlement.minus(feeOn(settlement, formula, places)).gte(credited))
      return settlement;
    settlement = settlement.plus(step);
  }
}

interface Pair {
  readonly source: Amount;
  readonly destination: Amount;
}

const fromSource = (source: Amount, rate: Amount, places: number): Pair => ({
  source,
  destination: halfUp(source.times(rate), places),
});
const fromDestination = (destination: Amount, rate: Amount, places: number): Pair => ({
  source: quotientUp(destination, rate, places),
  destination,
});

export interface Asked {
  readonly side: 'source' | 'destination';
  /**
   * The interbank settlement amount on `side`. On the destination side with fees, it is the amount credited
   * to the creditor.
   */
  readonly amount: Amount;
  /** False for quotes of endpoint 12b, which contain no fees (QUO-5). */
  readonly withFees: boolean;
}

/** Returns both amounts at a rate, before any maximum applies. */
function pairOf(asked: Asked, rate: Amount, terms: Terms): Pair {
  if (asked.side === 'source') return fromSource(asked.amount, rate, terms.destinationPlaces);
  const settlement = asked.withFees
    ? settlementFor(asked.amount, terms.creditorAgentFee, terms.destinationPlaces)
    : asked.amount;
  return fromDestination(settlement, rate, terms.sourcePlaces);
}

/**
 * Returns the quote of one FX provider (QUO-3, QUO-4), or undefined if the amount is below the threshold of
 * every rate.
 * @param pspBasisPoints the provider's improvement for the requesting PSP (FX-7); 0 means no improvement
 */
export function priceOf(
  asked: Asked,
  offers: readonly Offered[],
  pspBasisPoints: Amount,
  terms: Terms,
): Priced | undefined {
  const descending = [...offers].sort((one, other) => other.threshold.cmp(one.threshold));
  for (const offer of descending) {
    const rate = improved(offer.rate, pspBasisPoints);
    const wanted = pairOf(asked, rate, terms);
    const sourceMaximum = down(terms.sourceMaximum, terms.sourcePlaces);
    const destinationMaximum = down(terms.destinationMaximum, terms.destinationPlaces);
    const isSourceCapped = wanted.source.gt(sourceMaximum);
    const isDestinationCapped = wanted.destination.gt(destinationMaximum);
    const atSource = fromSource(sourceMaximum, rate, terms.destinationPlaces);
    const largest = atSource.destination.lte(destinationMaximum)
      ? atSource
      : fromDestination(destinationMaximum, rate, terms.sourcePlaces);
    const { source, destination } = isSourceCapped || isDestinationCapped ? largest : wanted;
    if (source.lt(offer.threshold)) continue;
    return {
      rateId: offer.rateId,
      rate,
      source,
      destination,
      isSourceCapped,
      isDestinationCapped,
      schemeFee: feeOn(source, terms.schemeFee, terms.sourcePlaces),
      creditorAgentFee: feeOn(destination, terms.creditorAgentFee, terms.destinationPlaces),
    };
  }
  return undefined;
}

/** FEE-5: whether the gateway must leave out this quote because its amounts are too small. */
export function isTooSmall({ source, destination, creditorAgentFee }: Priced, withFees: boolean): boolean {
  if (source.isZero() || destination.isZero()) return true;
  return withFees && creditorAgentFee.gte(destination);
}
