/**
 * From an amount to what is invoiced, deducted and credited; endpoint 14 and every quote use it. No capping here
 * (FEE-6).
 */
import { assert } from '../assert.ts';
import {
  divideRoundedDownTo,
  divideRoundedUpTo,
  exact,
  one,
  plainDecimal,
  renderDecimal,
  roundHalfUpTo,
  unitOf,
  type Exact,
} from './money.ts';
import { ok, refused, type Result } from '../result.ts';

/** Scheme fee formula as stored: source currency; the percentage is a ratio (FEE-1). */
export interface SchemeFeeFormula {
  readonly nominalFeeAmount: string;
  readonly percentageFeeAsRatio: string;
}

/** Creditor agent fee formula as stored: destination currency; the percentage is per hundred, below 100 (FEE-2). */
export interface CreditorAgentFeeFormula {
  readonly nominalFee: string;
  readonly percentageFee: string;
}

/** A fee ready to compute: nominal + ratio x settlement amount, half up to the currency's decimals. */
export interface Fee {
  readonly nominal: Exact;
  readonly ratio: Exact;
  readonly decimalPlaces: number;
}

/** FEE-5: why nothing can be offered for an amount. */
export interface AmountTooSmall {
  readonly code: 'amount-too-small';
  readonly ruleId: 'FEE-5';
  readonly detail: string;
}

const amountTooSmall = (detail: string) =>
  refused<AmountTooSmall>({ code: 'amount-too-small', ruleId: 'FEE-5', detail });

export const amountZero = amountTooSmall(
  'The amount is 0, so there is nothing to pay. Ask for an amount above 0.',
);

/** No message can carry a figure of more digits. */
export interface AmountTooLarge {
  readonly code: 'amount-too-large';
  readonly ruleId: 'FEE-6';
  readonly detail: string;
}

const mostDigits = 18; // of an amount in ISO 20022

const amountTooLarge = refused<AmountTooLarge>({
  code: 'amount-too-large',
  ruleId: 'FEE-6',
  detail: `One of the amounts has more than ${mostDigits} digits, which no message can carry. Ask for a smaller amount.`,
});

/** @param text plain decimal text, without trailing zeros */
const hasTooManyDigits = (text: string) => text.replace(/^0?\./, '').replace('.', '').length > mostDigits;

/**
 * @param settlement interbank settlement amount, @param fee the creditor agent fee on it; both in destination currency
 */
export function nothingLeft(settlement: Exact, fee: Exact): typeof amountZero {
  return amountTooSmall(
    settlement.isZero()
      ? 'The amount rounds to 0 in destination currency, so nothing is left to pay. Ask for a larger amount.'
      : `After the creditor agent fee nothing is left to pay: the amount is ${renderDecimal(settlement)} in destination ` +
          `currency, and the fee on it ${renderDecimal(fee)}. Ask for a larger amount.`,
  );
}

const wholePerPercent = exact('0.01');
const half = exact('0.5');

/** What the source PSP is invoiced; it is not deducted. */
export function schemeFee(formula: SchemeFeeFormula, sourceDecimalPlaces: number): Fee {
  return {
    nominal: exact(formula.nominalFeeAmount),
    ratio: exact(formula.percentageFeeAsRatio),
    decimalPlaces: sourceDecimalPlaces,
  };
}

/**
 * What the creditor agent deducts. A fee of 100 % or more has no inverse (FEE-4), so it is not a valid formula.
 */
export function creditorAgentFee(formula: CreditorAgentFeeFormula, destinationDecimalPlaces: number): Fee {
  const ratio = exact(formula.percentageFee).times(wholePerPercent);
  assert(ratio.lt(one), 'a creditor agent fee is below 100 % of the amount');
  return { nominal: exact(formula.nominalFee), ratio, decimalPlaces: destinationDecimalPlaces };
}

/** The fee on an interbank settlement amount; rounds half up. */
export function feeOn(settlement: Exact, fee: Fee): Exact {
  return roundHalfUpTo(fee.nominal.plus(fee.ratio.times(settlement)), fee.decimalPlaces);
}

/**
 * The smallest destination amount D with D - fee(D) = `credited`.
 *
 * There always is one: with a ratio below 1, raising D by one unit raises the rounded fee by none or one unit, so D -
 * fee(D) climbs in steps of none or one unit and passes every amount. D - fee(D) = C means, for the rounding half up,
 * that D (1 - ratio) lies above C + nominal - half a unit; the smallest D is the first on the grid beyond that.
 * @param credited creditor account amount, destination currency, on the currency's grid, above zero
 */
export function settlementForCredited(credited: Exact, fee: Fee): Exact {
  const unit = unitOf(fee.decimalPlaces);
  const bound = credited.plus(fee.nominal).minus(unit.times(half));
  const kept = one.minus(fee.ratio);
  const settlement = divideRoundedDownTo(bound, kept, fee.decimalPlaces).plus(unit);
  assert(
    settlement.minus(feeOn(settlement, fee)).eq(credited),
    'the inverse of the fee gives the amount (FEE-4)',
  );
  return settlement;
}

/** The side that the sender fixed: the source amount, or the amount that is credited. */
export type AmountSide = 'source' | 'destination';

/** Interbank settlement amounts of both sides. */
export interface SettlementAmounts {
  readonly source: Exact;
  readonly destination: Exact;
}

/** FEE-3: destination = A x rate, half up. */
export function fromSource(source: Exact, rate: Exact, destinationDecimalPlaces: number): SettlementAmounts {
  return { source, destination: roundHalfUpTo(source.times(rate), destinationDecimalPlaces) }; // seam: conversion
}

/** Source = D / rate, rounded up so that the FX provider is never short. */
export function fromDestination(
  destination: Exact,
  rate: Exact,
  sourceDecimalPlaces: number,
): SettlementAmounts {
  return { source: divideRoundedUpTo(destination, rate, sourceDecimalPlaces), destination };
}

/** Input of endpoint 14; texts have passed `amountPattern`, `ratePattern` and `fitsDecimalPlaces`. */
export interface FeesAndAmountsRequest {
  readonly amountSide: AmountSide;
  readonly amount: string;
  readonly exchangeRate: string;
  readonly sourceDecimalPlaces: number;
  readonly destinationDecimalPlaces: number;
  readonly schemeFee: SchemeFeeFormula;
  readonly creditorAgentFee: CreditorAgentFeeFormula;
}

/** Decimal strings without trailing zeros. */
export interface FeesAndAmounts {
  readonly sourceInterbankSettlementAmount: string;
  readonly networkSchemeFee: string;
  readonly destinationInterbankSettlementAmount: string;
  readonly creditorAgentFee: string;
  readonly creditorAccountAmount: string;
}

/** Endpoint 14: fees and amounts at a given rate, without capping; refuses what no message can carry. */
export function feesAndAmounts(
  request: FeesAndAmountsRequest,
): Result<FeesAndAmounts, AmountTooSmall | AmountTooLarge> {
  const fee = creditorAgentFee(request.creditorAgentFee, request.destinationDecimalPlaces);
  const given = exact(request.amount);
  if (given.isZero()) return amountZero;
  const rate = exact(request.exchangeRate);
  const { source, destination } =
    request.amountSide === 'source'
      ? fromSource(given, rate, request.destinationDecimalPlaces)
      : fromDestination(settlementForCredited(given, fee), rate, request.sourceDecimalPlaces);
  const deducted = feeOn(destination, fee);
  if (source.isZero() || deducted.gte(destination)) return nothingLeft(destination, deducted);
  const invoiced = feeOn(source, schemeFee(request.schemeFee, request.sourceDecimalPlaces));
  const figures: FeesAndAmounts = {
    sourceInterbankSettlementAmount: renderDecimal(source),
    networkSchemeFee: renderDecimal(invoiced),
    destinationInterbankSettlementAmount: renderDecimal(destination),
    creditorAgentFee: renderDecimal(deducted),
    creditorAccountAmount: renderDecimal(destination.minus(deducted)),
  };
  return Object.values(figures).some(hasTooManyDigits) ? amountTooLarge : ok(figures);
}

/** What a stored quote has of fees and amounts, as decimal texts. */
type QuoteFigures = Pick<
  FeesAndAmounts,
  | 'sourceInterbankSettlementAmount'
  | 'networkSchemeFee'
  | 'destinationInterbankSettlementAmount'
  | 'creditorAgentFee'
>;

/** FEE-8: fees and amounts of exactly that quote. One of endpoint 12b, which ignores fees, may leave nothing to credit. */
export function feesOfQuote(quote: QuoteFigures): Result<FeesAndAmounts, AmountTooSmall> {
  const settlement = exact(quote.destinationInterbankSettlementAmount);
  const fee = exact(quote.creditorAgentFee);
  if (fee.gte(settlement)) return nothingLeft(settlement, fee);
  return ok({
    sourceInterbankSettlementAmount: plainDecimal(quote.sourceInterbankSettlementAmount),
    networkSchemeFee: plainDecimal(quote.networkSchemeFee),
    destinationInterbankSettlementAmount: renderDecimal(settlement),
    creditorAgentFee: renderDecimal(fee),
    creditorAccountAmount: renderDecimal(settlement.minus(fee)),
  });
}
