/**
 * Turns the active rates of a corridor into ranked quotes, for endpoints 12 and 12b (QUO-2). Pure;
 * `db/quotes/quotes.ts` stores a snapshot of the result.
 */
import { capToMaxima, readMaxima, type CappedAmounts, type Maxima } from '../money/capping.ts';
import type { Corridor, CorridorFxp, CorridorKey, FixedAmount } from './corridor.ts';
import {
  amountZero,
  creditorAgentFee,
  feeOn,
  fromDestination,
  fromSource,
  nothingLeft,
  schemeFee,
  settlementForCredited,
  type AmountSide,
  type AmountTooSmall,
  type Fee,
} from '../money/fee.ts';
import type { QuoteId } from '../ids.ts';
import { exact, renderDecimal, type Exact } from '../money/money.ts';
import { improveRate } from './rate.ts';
import { ok, type Result } from '../result.ts';

/** The amount and corridor for which quotes are requested. */
export interface QuoteRequest extends FixedAmount {
  readonly corridor: Corridor;
}

/** One active rate of an FX provider: its base rate (threshold 0), or the stored improved rate of a tier. */
export interface OfferedRate {
  readonly rateId: string;
  /** null for the base rate */
  readonly tierImprovementId: string | null;
  /** minimum source amount, inclusive; '0' for the base rate */
  readonly threshold: string;
  readonly exchangeRate: string;
  /** ISO 8601, UTC. All offers of a request must use one format, because the ranking compares these texts. */
  readonly createdDateTime: string;
}

/** Everything that one FX provider offers the requesting PSP in the corridor. */
export interface FxpOffer {
  /** internalId */
  readonly fxpId: string;
  readonly rates: readonly OfferedRate[];
  /** the FX provider's improvement for the requesting PSP */
  readonly pspImprovement: { readonly pspImprovementId: string; readonly basisPoints: string } | null;
}

/**
 * Bounds, as decimal strings, that hold for the amounts of every quote of a request, whatever its rate. The
 * query uses them to skip rates that cannot win under QUO-3 (`db/quotes/quotes.ts`).
 *
 * After capping, a rate r gives a source amount from min(sourceAmount, destinationAmount / r) to sourceAmount. Rounding
 * adds less than the smallest unit of each currency.
 */
export interface Reach {
  readonly sourceAmount: string;
  readonly destinationAmount: string;
}

/** Selects base rates only, because their threshold is 0. */
export const baseRatesOnly: Reach = { sourceAmount: '0', destinationAmount: '0' };

/**
 * The stored part of a quote. A payment that names the quote must match it. Amounts and rates are decimal
 * strings without trailing zeros.
 */
export interface QuoteSnapshot {
  /** internalId */
  readonly fxpId: string;
  readonly rateId: string;
  readonly tierImprovementId: string | null;
  readonly pspImprovementId: string | null;
  /** the rate with all improvements */
  readonly exchangeRate: string;
  readonly sourceInterbankSettlementAmount: string;
  readonly sourceCappedToMaxAmount: boolean;
  readonly destinationInterbankSettlementAmount: string;
  readonly destinationCappedToMaxAmount: boolean;
  /** in source currency; invoiced to the source PSP, not deducted from the payment */
  readonly networkSchemeFee: string;
  /** in destination currency; the creditor agent deducts it */
  readonly creditorAgentFee: string;
  readonly sourceSapId: string;
  readonly sourceAccountId: string;
  readonly destinationSapId: string;
  readonly destinationAccountId: string;
}

/** A stored snapshot. */
export interface StoredQuote extends QuoteSnapshot, CorridorKey {
  readonly quoteId: QuoteId;
  /** internalId of the requesting PSP. */
  readonly pspId: string;
  /** Epoch milliseconds. */
  readonly issuedAt: number;
  /** Whether the quote was more than 600 s old when it was read, by the database clock. */
  readonly expired: boolean;
  /** UETR of the payment that uses the quote and is not rejected; null if no payment does. */
  readonly heldBy: string | null;
}

/** A quote of endpoint 12. */
export interface PricedQuote extends QuoteSnapshot {
  /** creation time of the rate */
  readonly rateCreatedDateTime: string;
  readonly creditorAccountAmount: string;
}

/** The maxima that the requested amounts exceeded. */
export type AdjustedReason =
  'SourceMaximumExceeded' | 'DestinationMaximumExceeded' | 'SourceAndDestinationMaximumExceeded';

/** A quote of endpoint 12b, whose amounts ignore fees. The fees are computed from them for the snapshot. */
export interface AdjustedQuote extends Omit<PricedQuote, 'creditorAccountAmount'> {
  /**
   * null if the fee is at least as large as the amount. Endpoint 12b ignores fees, so it returns such a quote
   * too.
   */
  readonly creditorAccountAmount: string | null;
  /** null if nothing was capped */
  readonly adjustedReason: AdjustedReason | null;
}

/** Best quote first; empty if no FX provider that can settle offers a rate. */
type Ranked<Quote> = Result<readonly Quote[], AmountTooSmall>;

/** Endpoint 12: ranked quotes with fees. Refuses with `amount-too-small` if fees and rounding leave no quote. */
export function priceQuotes(request: QuoteRequest, offers: readonly FxpOffer[]): Ranked<PricedQuote> {
  const terms = termsOf(request.corridor);
  const wanted = wantedWithFees(request, terms);
  if (wanted.amount.isZero()) return amountZero;
  const chosen = chooseAndRank(offers, wanted, terms);
  const quotes: PricedQuote[] = [];
  for (const choice of chosen) {
    const deducted = feeOn(choice.amounts.destination, terms.creditorAgentFee);
    if (choice.amounts.source.isZero() || deducted.gte(choice.amounts.destination)) continue;
    const credited = renderDecimal(choice.amounts.destination.minus(deducted));
    quotes.push(quoteOf(choice, terms, deducted, credited));
  }
  return quotes.length > 0 ? ok(quotes) : noneLeft(chosen, terms);
}

/**
 * Endpoint 12b: ranked quotes whose amounts ignore fees. A requested destination amount is the interbank
 * settlement amount. Quotes with a zero amount are omitted. Refuses with `amount-too-small` if no quote is
 * left.
 */
export function priceQuotesWithoutFees(
  request: QuoteRequest,
  offers: readonly FxpOffer[],
): Ranked<AdjustedQuote> {
  const terms = termsOf(request.corridor);
  const wanted = wantedWithoutFees(request);
  if (wanted.amount.isZero()) return amountZero;
  const chosen = chooseAndRank(offers, wanted, terms);
  const quotes: AdjustedQuote[] = [];
  for (const choice of chosen) {
    const { source, destination } = choice.amounts;
    if (source.isZero() || destination.isZero()) continue;
    const deducted = feeOn(destination, terms.creditorAgentFee);
    const credited = deducted.lt(destination) ? renderDecimal(destination.minus(deducted)) : null;
    const adjustedReason = adjustedReasonOf(choice.amounts);
    quotes.push({ ...quoteOf(choice, terms, deducted, credited), adjustedReason });
  }
  return quotes.length > 0 ? ok(quotes) : noneLeft(chosen, terms);
}

/** The bounds within which a rate can win a request of endpoint 12. */
export function reachWithFees(request: QuoteRequest): Reach {
  const terms = termsOf(request.corridor);
  return reachOf(wantedWithFees(request, terms), terms.maxima);
}

/** The bounds within which a rate can win a request of endpoint 12b. */
export function reachWithoutFees(request: QuoteRequest): Reach {
  return reachOf(wantedWithoutFees(request), termsOf(request.corridor).maxima);
}

function reachOf({ side, amount }: Wanted, { source, destination }: Maxima): Reach {
  const lesser = (maximum: Exact) => (amount.lt(maximum) ? amount : maximum);
  return {
    sourceAmount: renderDecimal(side === 'source' ? lesser(source) : source),
    destinationAmount: renderDecimal(side === 'destination' ? lesser(destination) : destination),
  };
}

/** The best base rate of all FX providers in the corridor; undefined if there is none. */
export function marketRateOf({ fxps }: Corridor, offers: readonly FxpOffer[]): string | undefined {
  const [best] = offers
    .filter(({ fxpId }) => fxps.has(fxpId))
    .flatMap(({ rates }) => rates.filter((rate) => exact(rate.threshold).isZero()))
    .map((rate) => exact(rate.exchangeRate))
    .sort((a, b) => b.cmp(a));
  return best === undefined ? undefined : renderDecimal(best);
}

/** Explains an empty result: no rate exists, or the amount is too small even at the best rate. */
function noneLeft([best]: readonly Choice[], terms: Terms): Ranked<never> {
  if (best === undefined) return ok([]);
  const { destination } = best.amounts;
  return nothingLeft(destination, feeOn(destination, terms.creditorAgentFee));
}

/** The values that apply to every quote of a corridor. */
interface Terms {
  readonly fxps: Corridor['fxps'];
  readonly maxima: Maxima;
  readonly schemeFee: Fee;
  readonly creditorAgentFee: Fee;
}

const termsOfCorridor = new WeakMap<Corridor, Terms>();

/** Reads the terms once per corridor and snapshot of the reference data. */
function termsOf(corridor: Corridor): Terms {
  let terms = termsOfCorridor.get(corridor);
  if (terms === undefined) termsOfCorridor.set(corridor, (terms = readTerms(corridor)));
  return terms;
}

function readTerms({ source, destination, fxps, ...formulas }: Corridor): Terms {
  const sourceDecimalPlaces = source.currency.decimalPlaces;
  const destinationDecimalPlaces = destination.currency.decimalPlaces;
  return {
    fxps,
    maxima: readMaxima({
      sourceMaximum: source.clearingSystem.maxAmount,
      destinationMaximum: destination.clearingSystem.maxAmount,
      sourceDecimalPlaces,
      destinationDecimalPlaces,
    }),
    schemeFee: schemeFee(formulas.schemeFee, sourceDecimalPlaces),
    creditorAgentFee: creditorAgentFee(formulas.creditorAgentFee, destinationDecimalPlaces),
  };
}

/** The interbank settlement amount that the request fixes, and its side. */
interface Wanted {
  readonly side: AmountSide;
  readonly amount: Exact;
}

/** Adds the creditor agent fee to a credited amount, which gives the settlement amount. */
function wantedWithFees(request: FixedAmount, { creditorAgentFee: fee }: Terms): Wanted {
  const wanted = wantedWithoutFees(request);
  if (wanted.side === 'source' || wanted.amount.isZero()) return wanted;
  return { side: 'destination', amount: settlementForCredited(wanted.amount, fee) };
}

function wantedWithoutFees({ amountSide, amount }: FixedAmount): Wanted {
  return { side: amountSide, amount: exact(amount) };
}

/** The rate that one FX provider's quote uses, with the resulting amounts. */
interface Choice {
  readonly fxp: CorridorFxp;
  readonly offer: FxpOffer;
  readonly rate: OfferedRate;
  readonly exchangeRate: Exact;
  readonly amounts: CappedAmounts;
}

/** Returns at most one choice per FX provider that can settle, best first. */
function chooseAndRank(offers: readonly FxpOffer[], wanted: Wanted, { fxps, maxima }: Terms): Choice[] {
  const choices: Choice[] = [];
  for (const offer of offers) {
    const fxp = fxps.get(offer.fxpId);
    if (fxp === undefined) continue;
    const choice = chooseTier(fxp, offer, { wanted, maxima });
    if (choice !== undefined) choices.push(choice);
  }
  return choices.sort(compareChoices);
}

/**
 * Chooses the rate with the highest threshold that the resulting source amount reaches. The source amount
 * comes from the improved rate and is capped. The base rate has threshold 0, so it is the fallback. The rule
 * is the same for both amount sides.
 * @returns undefined if the FX provider has no usable rate
 */
function chooseTier(
  fxp: CorridorFxp,
  offer: FxpOffer,
  { wanted, maxima }: { readonly wanted: Wanted; readonly maxima: Maxima },
): Choice | undefined {
  const pspBasisPoints = offer.pspImprovement === null ? undefined : exact(offer.pspImprovement.basisPoints);
  const descending = offer.rates
    .map((rate) => ({ rate, threshold: exact(rate.threshold) }))
    .sort((a, b) => b.threshold.cmp(a.threshold));
  for (const { rate, threshold } of descending) {
    const stored = exact(rate.exchangeRate);
    const exchangeRate = pspBasisPoints === undefined ? stored : improveRate(stored, pspBasisPoints);
    if (exchangeRate === undefined) continue; // the improved rate has too many digits for a message
    const asked =
      wanted.side === 'source'
        ? fromSource(wanted.amount, exchangeRate, maxima.destinationDecimalPlaces)
        : fromDestination(wanted.amount, exchangeRate, maxima.sourceDecimalPlaces);
    const amounts = capToMaxima(asked, exchangeRate, maxima);
    if (amounts.source.gte(threshold)) return { fxp, offer, rate, exchangeRate, amounts };
  }
  return undefined;
}

/**
 * Sorts by exchange rate descending, then older rate first, then FX provider id as PSPs see it. This is a total order,
 * because each FX provider has one quote.
 */
function compareChoices(a: Choice, b: Choice): number {
  return (
    b.exchangeRate.cmp(a.exchangeRate) ||
    compareText(a.rate.createdDateTime, b.rate.createdDateTime) ||
    compareText(a.fxp.id, b.fxp.id)
  );
}

/** Compares by code unit, so that the order is the same in every locale. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function quoteOf<Credited extends string | null>(
  choice: Choice,
  terms: Terms,
  deducted: Exact,
  creditorAccountAmount: Credited,
): Omit<PricedQuote, 'creditorAccountAmount'> & { readonly creditorAccountAmount: Credited } {
  const { fxp, offer, rate, exchangeRate, amounts } = choice;
  const { source, destination } = fxp;
  return {
    fxpId: offer.fxpId,
    rateId: rate.rateId,
    tierImprovementId: rate.tierImprovementId,
    pspImprovementId: offer.pspImprovement?.pspImprovementId ?? null,
    rateCreatedDateTime: rate.createdDateTime,
    exchangeRate: renderDecimal(exchangeRate),
    sourceInterbankSettlementAmount: renderDecimal(amounts.source),
    sourceCappedToMaxAmount: amounts.sourceCapped,
    destinationInterbankSettlementAmount: renderDecimal(amounts.destination),
    destinationCappedToMaxAmount: amounts.destinationCapped,
    networkSchemeFee: renderDecimal(feeOn(amounts.source, terms.schemeFee)),
    creditorAgentFee: renderDecimal(deducted),
    sourceSapId: source.sap.institutionId,
    sourceAccountId: source.accountId,
    destinationSapId: destination.sap.institutionId,
    destinationAccountId: destination.accountId,
    creditorAccountAmount,
  };
}

function adjustedReasonOf({ sourceCapped, destinationCapped }: CappedAmounts): AdjustedReason | null {
  if (sourceCapped) {
    return destinationCapped ? 'SourceAndDestinationMaximumExceeded' : 'SourceMaximumExceeded';
  }
  return destinationCapped ? 'DestinationMaximumExceeded' : null;
}
