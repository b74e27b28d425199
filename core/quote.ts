/**
 * Where it stands: the heart of endpoints 12 and 12b; it turns the active rates of a corridor into ranked quotes (QUO-2 to QUO-5).
 * It must not read, store or date anything: `db/quotes.ts` keeps what it returns as the snapshot (QUO-7).
 */
import { capToMaxima, readMaxima, type CappedAmounts, type Maxima } from './capping.ts';
import {
  amountTooSmall,
  creditorAgentFee,
  feeOn,
  fromDestination,
  fromSource,
  schemeFee,
  settlementForCredited,
  type AmountSide,
  type AmountTooSmall,
  type CreditorAgentFeeFormula,
  type Fee,
  type SchemeFeeFormula,
} from './fee.ts';
import { exact, renderDecimal, type Exact } from './money.ts';
import { improveRate } from './rate.ts';

/** What the PSP asks; the amount passed `amountPattern` and `fitsDecimalPlaces` of its currency before (MON-1, MON-2). */
export interface QuoteRequest {
  readonly amountSide: AmountSide;
  readonly amount: string;
  readonly sourceDecimalPlaces: number;
  readonly destinationDecimalPlaces: number;
}

/** One active rate of an FXP: its base rate (threshold 0) or a tier's stored, improved rate (FX-4). */
export interface OfferedRate {
  readonly rateId: string;
  /** null for the base rate */
  readonly tierImprovementId: string | null;
  /** smallest source amount, inclusive; '0' for the base rate */
  readonly threshold: string;
  readonly exchangeRate: string;
  /** ISO 8601 UTC; all offers of a request in one format, for older goes first (QUO-2) */
  readonly createdDateTime: string;
}

/** All that one FXP offers the requesting PSP in the corridor. */
export interface FxpOffer {
  /** what ties are broken by, e.g. the FXP's BIC (QUO-2) */
  readonly fxpId: string;
  readonly rates: readonly OfferedRate[];
  /** that FXP's improvement for the requesting PSP (FX-7) */
  readonly pspImprovement: { readonly pspImprovementId: string; readonly basisPoints: string } | null;
}

/** Largest interbank settlement amounts of the two payment systems (QUO-4), as stored. */
export interface QuoteLimits {
  readonly sourceMaximum: string;
  readonly destinationMaximum: string;
}

export interface QuoteFormulas {
  readonly schemeFee: SchemeFeeFormula;
  readonly creditorAgentFee: CreditorAgentFeeFormula;
}

/** One quote as priced: the part of the snapshot that is arithmetic. Decimal strings without trailing zeros. */
export interface PricedQuote {
  readonly fxpId: string;
  readonly rateId: string;
  readonly tierImprovementId: string | null;
  readonly pspImprovementId: string | null;
  /** of the rate that was used */
  readonly rateCreatedDateTime: string;
  /** with all improvements (FX-8) */
  readonly exchangeRate: string;
  readonly sourceInterbankSettlementAmount: string;
  readonly sourceCappedToMaxAmount: boolean;
  readonly destinationInterbankSettlementAmount: string;
  readonly destinationCappedToMaxAmount: boolean;
  /** source currency, invoiced (FEE-1) */
  readonly networkSchemeFee: string;
  /** destination currency, deducted (FEE-2) */
  readonly creditorAgentFee: string;
  readonly creditorAccountAmount: string;
}

/** QUO-5: which maximum the amounts asked for exceeded. */
export type AdjustedReason =
  'SourceMaximumExceeded' | 'DestinationMaximumExceeded' | 'SourceAndDestinationMaximumExceeded';

/** A quote of endpoint 12b, whose amounts were found without fees; the fees follow from them, for the snapshot. */
export interface AdjustedQuote extends Omit<PricedQuote, 'creditorAccountAmount'> {
  /** null when the fee is not smaller than the amount: 12b, which knows no fees, shows the quote nevertheless (FEE-5) */
  readonly creditorAccountAmount: string | null;
  /** null when nothing was capped */
  readonly adjustedReason: AdjustedReason | null;
}

export interface Priced<Quote> {
  readonly kind: 'priced';
  /** best first; empty when nobody offers a rate */
  readonly quotes: readonly Quote[];
}

/** Endpoint 12: ranked quotes with fees, or `amount-too-small` when fees and rounding leave none (FEE-5). */
export function priceQuotes(
  request: QuoteRequest,
  offers: readonly FxpOffer[],
  limits: QuoteLimits,
  formulas: QuoteFormulas,
): Priced<PricedQuote> | AmountTooSmall {
  const terms = readTerms(request, limits, formulas);
  const given = exact(request.amount);
  if (given.isZero()) return amountTooSmall;
  const wanted =
    request.amountSide === 'source' ? given : settlementForCredited(given, terms.creditorAgentFee);
  const chosen = chooseAndRank(offers, { side: request.amountSide, amount: wanted }, terms.maxima);
  const quotes: PricedQuote[] = [];
  for (const choice of chosen) {
    const deducted = feeOn(choice.amounts.destination, terms.creditorAgentFee);
    if (choice.amounts.source.isZero() || deducted.gte(choice.amounts.destination)) continue;
    quotes.push({
      ...snapshotOf(choice, terms, deducted),
      creditorAccountAmount: renderDecimal(choice.amounts.destination.minus(deducted)),
    });
  }
  return quotes.length === 0 && chosen.length > 0 ? amountTooSmall : { kind: 'priced', quotes };
}

/**
 * Endpoint 12b: ranked quotes whose amounts know no fees (QUO-5): destination given is the interbank settlement amount.
 * Zero amounts are left out; `amount-too-small` when that leaves none (FEE-5).
 */
export function priceQuotesWithoutFees(
  request: QuoteRequest,
  offers: readonly FxpOffer[],
  limits: QuoteLimits,
  formulas: QuoteFormulas,
): Priced<AdjustedQuote> | AmountTooSmall {
  const terms = readTerms(request, limits, formulas);
  const given = exact(request.amount);
  if (given.isZero()) return amountTooSmall;
  const chosen = chooseAndRank(offers, { side: request.amountSide, amount: given }, terms.maxima);
  const quotes: AdjustedQuote[] = [];
  for (const choice of chosen) {
    const { source, destination } = choice.amounts;
    if (source.isZero() || destination.isZero()) continue;
    const deducted = feeOn(destination, terms.creditorAgentFee);
    quotes.push({
      ...snapshotOf(choice, terms, deducted),
      creditorAccountAmount: deducted.lt(destination) ? renderDecimal(destination.minus(deducted)) : null,
      adjustedReason: adjustedReasonOf(choice.amounts),
    });
  }
  return quotes.length === 0 && chosen.length > 0 ? amountTooSmall : { kind: 'priced', quotes };
}

/** What holds for every quote of a request, read once. */
interface Terms {
  readonly maxima: Maxima;
  readonly schemeFee: Fee;
  readonly creditorAgentFee: Fee;
}

function readTerms(request: QuoteRequest, limits: QuoteLimits, formulas: QuoteFormulas): Terms {
  const { sourceDecimalPlaces, destinationDecimalPlaces } = request;
  return {
    maxima: readMaxima({ ...limits, sourceDecimalPlaces, destinationDecimalPlaces }),
    schemeFee: schemeFee(formulas.schemeFee, sourceDecimalPlaces),
    creditorAgentFee: creditorAgentFee(formulas.creditorAgentFee, destinationDecimalPlaces),
  };
}

/** The interbank settlement amount that the request fixes, and its side. */
interface Wanted {
  readonly side: AmountSide;
  readonly amount: Exact;
}

/** The rate that one FXP's quote uses, and what comes of it. */
interface Choice {
  readonly offer: FxpOffer;
  readonly rate: OfferedRate;
  readonly exchangeRate: Exact;
  readonly amounts: CappedAmounts;
}

/** At most one choice per FXP (QUO-2), best first. */
function chooseAndRank(offers: readonly FxpOffer[], wanted: Wanted, maxima: Maxima): Choice[] {
  const choices: Choice[] = [];
  for (const offer of offers) {
    const choice = chooseTier(offer, wanted, maxima);
    if (choice !== undefined) choices.push(choice);
  }
  return choices.sort(compareChoices);
}

/**
 * QUO-3: the highest threshold whose rate, improved and capped, gives a source amount of at least that threshold;
 * the base rate's threshold is 0, so that it is the last resort. One rule for both amount directions.
 * @returns undefined when the FXP has no such rate
 */
function chooseTier(offer: FxpOffer, wanted: Wanted, maxima: Maxima): Choice | undefined {
  const pspBasisPoints = offer.pspImprovement === null ? undefined : exact(offer.pspImprovement.basisPoints);
  const descending = offer.rates
    .map((rate) => ({ rate, threshold: exact(rate.threshold) }))
    .sort((a, b) => b.threshold.cmp(a.threshold));
  for (const { rate, threshold } of descending) {
    const stored = exact(rate.exchangeRate);
    const exchangeRate = pspBasisPoints === undefined ? stored : improveRate(stored, pspBasisPoints);
    if (exchangeRate === undefined) continue; // no message could carry it
    const asked =
      wanted.side === 'source'
        ? fromSource(wanted.amount, exchangeRate, maxima.destinationDecimalPlaces)
        : fromDestination(wanted.amount, exchangeRate, maxima.sourceDecimalPlaces);
    const amounts = capToMaxima(asked, exchangeRate, maxima);
    if (amounts.source.gte(threshold)) return { offer, rate, exchangeRate, amounts };
  }
  return undefined;
}

/** QUO-2: exchange rate descending, then older rate first, then FXP id; total, for an FXP has one quote. */
function compareChoices(a: Choice, b: Choice): number {
  return (
    b.exchangeRate.cmp(a.exchangeRate) ||
    compareText(a.rate.createdDateTime, b.rate.createdDateTime) ||
    compareText(a.offer.fxpId, b.offer.fxpId)
  );
}

/** By code unit: the same in every locale. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function snapshotOf(
  choice: Choice,
  terms: Terms,
  deducted: Exact,
): Omit<PricedQuote, 'creditorAccountAmount'> {
  const { offer, rate, exchangeRate, amounts } = choice;
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
  };
}

function adjustedReasonOf({ sourceCapped, destinationCapped }: CappedAmounts): AdjustedReason | null {
  if (sourceCapped) {
    return destinationCapped ? 'SourceAndDestinationMaximumExceeded' : 'SourceMaximumExceeded';
  }
  return destinationCapped ? 'DestinationMaximumExceeded' : null;
}
