/**
 * Turns the active rates of a corridor into ranked quotes, for endpoints 12 and 12b (QUO-2). Pure:
 * `db/quotes/quotes.ts` stores the snapshot of what is returned.
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

/** An amount for which quotes are asked, and its corridor. */
export interface QuoteRequest extends FixedAmount {
  readonly corridor: Corridor;
}

/** One active rate of an FXP: its base rate (threshold 0) or a tier's stored, improved rate. */
export interface OfferedRate {
  readonly rateId: string;
  /** null for the base rate */
  readonly tierImprovementId: string | null;
  /** smallest source amount, inclusive; '0' for the base rate */
  readonly threshold: string;
  readonly exchangeRate: string;
  /** ISO 8601 UTC; all offers of a request in one format, for older goes first */
  readonly createdDateTime: string;
}

/** Everything that one FXP offers the requesting PSP in the corridor. */
export interface FxpOffer {
  /** internalId */
  readonly fxpId: string;
  readonly rates: readonly OfferedRate[];
  /** that FXP's improvement for the requesting PSP */
  readonly pspImprovement: { readonly pspImprovementId: string; readonly basisPoints: string } | null;
}

/**
 * Bounds of the amounts of a request's quotes, which no rate changes. By them a query leaves unread the rates that
 * cannot win under QUO-3 (`db/quotes/quotes.ts`). Decimal strings.
 *
 * A rate r gives, after capping, a source amount of at least min(sourceAmount, destinationAmount / r), and at most
 * sourceAmount. Rounding adds less than one unit of each currency to the quotient.
 */
export interface Reach {
  readonly sourceAmount: string;
  readonly destinationAmount: string;
}

/** Reads base rates only: their threshold is 0. */
export const baseRatesOnly: Reach = { sourceAmount: '0', destinationAmount: '0' };

/** What is stored of a quote, for payments to be bound to. Decimal strings without trailing zeros. */
export interface QuoteSnapshot {
  /** internalId */
  readonly fxpId: string;
  readonly rateId: string;
  readonly tierImprovementId: string | null;
  readonly pspImprovementId: string | null;
  /** with all improvements */
  readonly exchangeRate: string;
  readonly sourceInterbankSettlementAmount: string;
  readonly sourceCappedToMaxAmount: boolean;
  readonly destinationInterbankSettlementAmount: string;
  readonly destinationCappedToMaxAmount: boolean;
  /** source currency, invoiced */
  readonly networkSchemeFee: string;
  /** destination currency, deducted */
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
  /** Whether it was more than 600 s old when read, by the database clock. */
  readonly expired: boolean;
  /** UETR of the payment that uses it and is not rejected; null: none does. */
  readonly heldBy: string | null;
}

/** A quote of endpoint 12. */
export interface PricedQuote extends QuoteSnapshot {
  /** of the rate that was used */
  readonly rateCreatedDateTime: string;
  readonly creditorAccountAmount: string;
}

/** Which maximum the requested amounts exceeded. */
export type AdjustedReason =
  'SourceMaximumExceeded' | 'DestinationMaximumExceeded' | 'SourceAndDestinationMaximumExceeded';

/** A quote of endpoint 12b, whose amounts ignore fees; the fees follow from them, for the snapshot. */
export interface AdjustedQuote extends Omit<PricedQuote, 'creditorAccountAmount'> {
  /** null if the fee is not smaller than the amount: 12b, which ignores fees, shows the quote all the same */
  readonly creditorAccountAmount: string | null;
  /** null when nothing was capped */
  readonly adjustedReason: AdjustedReason | null;
}

/** Best first; empty if no FX provider that can settle offers a rate. */
type Ranked<Quote> = Result<readonly Quote[], AmountTooSmall>;

/** Endpoint 12: ranked quotes with fees, or `amount-too-small` if fees and rounding leave none. */
export function priceQuotes(request: QuoteRequest, offers: readonly FxpOffer[]): Ranked<PricedQuote> {
  const terms = readTerms(request.corridor);
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
 * Endpoint 12b: ranked quotes whose amounts ignore fees: a given destination amount is the interbank settlement
 * amount. Zero amounts are left out; `amount-too-small` when that leaves none.
 */
export function priceQuotesWithoutFees(
  request: QuoteRequest,
  offers: readonly FxpOffer[],
): Ranked<AdjustedQuote> {
  const terms = readTerms(request.corridor);
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

/** Which rates can win a request of endpoint 12. */
export function reachWithFees(request: QuoteRequest): Reach {
  const terms = readTerms(request.corridor);
  return reachOf(wantedWithFees(request, terms), terms.maxima);
}

/** Which rates can win a request of endpoint 12b. */
export function reachWithoutFees(request: QuoteRequest): Reach {
  return reachOf(wantedWithoutFees(request), readTerms(request.corridor).maxima);
}

function reachOf({ side, amount }: Wanted, { source, destination }: Maxima): Reach {
  const lesser = (maximum: Exact) => (amount.lt(maximum) ? amount : maximum);
  return {
    sourceAmount: renderDecimal(side === 'source' ? lesser(source) : source),
    destinationAmount: renderDecimal(side === 'destination' ? lesser(destination) : destination),
  };
}

/** The best base rate that PSPs are quoted in the corridor, all FX providers; undefined when there is none. */
export function marketRateOf({ fxps }: Corridor, offers: readonly FxpOffer[]): string | undefined {
  const [best] = offers
    .filter(({ fxpId }) => fxps.has(fxpId))
    .flatMap(({ rates }) => rates.filter((rate) => exact(rate.threshold).isZero()))
    .map((rate) => exact(rate.exchangeRate))
    .sort((a, b) => b.cmp(a));
  return best === undefined ? undefined : renderDecimal(best);
}

/** Why no quote is left: there is no rate, or the amount is too small even at the best one. */
function noneLeft([best]: readonly Choice[], terms: Terms): Ranked<never> {
  if (best === undefined) return ok([]);
  const { destination } = best.amounts;
  return nothingLeft(destination, feeOn(destination, terms.creditorAgentFee));
}

/** What applies to every quote of a request, read once. */
interface Terms {
  readonly fxps: Corridor['fxps'];
  readonly maxima: Maxima;
  readonly schemeFee: Fee;
  readonly creditorAgentFee: Fee;
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

/** The settlement amount of a credited amount has the creditor agent's fee on top. */
function wantedWithFees(request: FixedAmount, { creditorAgentFee: fee }: Terms): Wanted {
  const wanted = wantedWithoutFees(request);
  if (wanted.side === 'source' || wanted.amount.isZero()) return wanted;
  return { side: 'destination', amount: settlementForCredited(wanted.amount, fee) };
}

function wantedWithoutFees({ amountSide, amount }: FixedAmount): Wanted {
  return { side: amountSide, amount: exact(amount) };
}

/** The rate that one FXP's quote uses, and the resulting amounts. */
interface Choice {
  readonly fxp: CorridorFxp;
  readonly offer: FxpOffer;
  readonly rate: OfferedRate;
  readonly exchangeRate: Exact;
  readonly amounts: CappedAmounts;
}

/** At most one choice per FXP that can settle, best first. */
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
 * The highest threshold whose rate, improved and capped, gives a source amount of at least that threshold;
 * the base rate's threshold is 0, so that it is the last resort. One rule for both amount directions.
 * @returns undefined when the FXP has no such rate
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
    if (exchangeRate === undefined) continue; // no message can carry it
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
 * Exchange rate descending, then older rate first, then FXP id as PSPs see it; total, because an FXP has one
 * quote.
 */
function compareChoices(a: Choice, b: Choice): number {
  return (
    b.exchangeRate.cmp(a.exchangeRate) ||
    compareText(a.rate.createdDateTime, b.rate.createdDateTime) ||
    compareText(a.fxp.id, b.fxp.id)
  );
}

/** By code unit: the same in every locale. */
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
