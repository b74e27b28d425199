// Recomputes quotes from rates, improvements, maxima and fee formulas by the rules FEE-1 to FEE-6, FX-8 and QUO-2 to
// QUO-5. It is written from the rules, without code of the product.
import { amount, down, halfUp, improved, quotientUp, type Amount } from './decimals.ts';
import type { FeeFormula } from './reference.ts';

/** The terms that all quotes of a request share. */
export interface Terms {
  readonly sourcePlaces: number;
  readonly destinationPlaces: number;
  readonly sourceMaximum: Amount;
  readonly destinationMaximum: Amount;
  readonly schemeFee: FeeFormula;
  readonly creditorAgentFee: FeeFormula;
}

/** A rate that an FX provider offers: its base rate, or a tier rate. */
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

/** FEE-1, FEE-2, MON-3. */
function feeOn(settlement: Amount, { nominal, ratio }: FeeFormula, places: number): Amount {
  return halfUp(nominal.plus(ratio.times(settlement)), places);
}

/**
 * FEE-4: the smallest D with D - fee(D) = C. D - fee(D) never falls as D grows, so the search goes up from a lower
 * bound.
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
   * The interbank settlement amount on that side. With fees, on the destination side, it is the amount credited to the
   * creditor.
   */
  readonly amount: Amount;
  /** False for endpoint 12b, which has no fees (QUO-5). */
  readonly withFees: boolean;
}

/** Both amounts at a rate, before any maximum. */
function pairOf(asked: Asked, rate: Amount, terms: Terms): Pair {
  if (asked.side === 'source') return fromSource(asked.amount, rate, terms.destinationPlaces);
  const settlement = asked.withFees
    ? settlementFor(asked.amount, terms.creditorAgentFee, terms.destinationPlaces)
    : asked.amount;
  return fromDestination(settlement, rate, terms.sourcePlaces);
}

/**
 * The quote of one FX provider (QUO-3, QUO-4); undefined if none of its rates fits.
 * @param pspBasisPoints its improvement for the requesting PSP (FX-7); 0 means no improvement
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

/** FEE-5: whether the quote is left out. */
export function isTooSmall({ source, destination, creditorAgentFee }: Priced, withFees: boolean): boolean {
  if (source.isZero() || destination.isZero()) return true;
  return withFees && creditorAgentFee.gte(destination);
}
