/**
 * Computes fees: the amounts to invoice, deduct and credit. Endpoint 14 and every quote use this file. It
 * does not cap amounts (FEE-6).
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

/** Scheme fee formula as stored, in source currency. The percentage is a ratio: 0.01 is 1 % (FEE-1). */
export interface SchemeFeeFormula {
  readonly nominalFeeAmount: string;
  readonly percentageFeeAsRatio: string;
}

/** Creditor agent fee formula as stored, in destination currency. The percentage is below 100; 1 is 1 % (FEE-2). */
export interface CreditorAgentFeeFormula {
  readonly nominalFee: string;
  readonly percentageFee: string;
}

/** The terms of a fee: nominal + ratio x settlement amount, rounded half up to the currency's decimals. */
export interface Fee {
  readonly nominal: Exact;
  readonly ratio: Exact;
  readonly decimalPlaces: number;
}

/** FEE-5: the amount is too small to pay anything. */
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

/** An amount has more digits than any message can carry. */
export interface AmountTooLarge {
  readonly code: 'amount-too-large';
  readonly ruleId: 'FEE-6';
  readonly detail: string;
}

const mostDigits = 18; // ISO 20022 allows no longer amount

const amountTooLarge = refused<AmountTooLarge>({
  code: 'amount-too-large',
  ruleId: 'FEE-6',
  detail: `One of the amounts has more than ${mostDigits} digits, which no message can carry. Ask for a smaller amount.`,
});

/** @param text plain decimal without trailing zeros */
const hasTooManyDigits = (text: string) => text.replace(/^0?\./, '').replace('.', '').length > mostDigits;

/**
 * @param settlement interbank settlement amount, in destination currency
 * @param fee the creditor agent fee on it, in destination currency
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

/** The fee that is invoiced to the source PSP. It is not deducted from the payment. */
export function schemeFee(formula: SchemeFeeFormula, sourceDecimalPlaces: number): Fee {
  return {
    nominal: exact(formula.nominalFeeAmount),
    ratio: exact(formula.percentageFeeAsRatio),
    decimalPlaces: sourceDecimalPlaces,
  };
}

/** The fee that the creditor agent deducts. It must be below 100 %, because a larger one has no inverse (FEE-4). */
export function creditorAgentFee(formula: CreditorAgentFeeFormula, destinationDecimalPlaces: number): Fee {
  const ratio = exact(formula.percentageFee).times(wholePerPercent);
  assert(ratio.lt(one), 'a creditor agent fee is below 100 % of the amount');
  return { nominal: exact(formula.nominalFee), ratio, decimalPlaces: destinationDecimalPlaces };
}

/** Computes the fee on an interbank settlement amount, rounded half up. */
export function feeOn(settlement: Exact, fee: Fee): Exact {
  return roundHalfUpTo(fee.nominal.plus(fee.ratio.times(settlement)), fee.decimalPlaces);
}

/**
 * The smallest destination amount D with D - fee(D) = `credited`. It always exists: the ratio is below 1, so raising D
 * by one smallest unit raises the rounded fee by at most one unit. D - fee(D) thus grows in steps of at most one unit,
 * and skips no amount.
 *
 * The formula: with rounding half up, D - fee(D) = C requires that D (1 - ratio) exceeds C + nominal - half a unit. The
 * smallest D is the first multiple of the unit above that bound.
 * @param credited creditor account amount in destination currency, a multiple of its smallest unit, above zero
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

/** The side whose amount the sender fixed: the source amount, or the credited amount. */
export type AmountSide = 'source' | 'destination';

export interface SettlementAmounts {
  readonly source: Exact;
  readonly destination: Exact;
}

/** FEE-3: destination = source x rate, rounded half up. */
export function fromSource(source: Exact, rate: Exact, destinationDecimalPlaces: number): SettlementAmounts {
  return { source, destination: roundHalfUpTo(source.times(rate), destinationDecimalPlaces) }; // seam: conversion
}

/** source = destination / rate, rounded up so that the FX provider never gets too little. */
export function fromDestination(
  destination: Exact,
  rate: Exact,
  sourceDecimalPlaces: number,
): SettlementAmounts {
  return { source: divideRoundedUpTo(destination, rate, sourceDecimalPlaces), destination };
}

/** Input of endpoint 14. Its texts must have passed `amountPattern`, `ratePattern` and `fitsDecimalPlaces`. */
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

/** Endpoint 14: fees and amounts at a given rate, without capping. Refuses amounts that no message can carry. */
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

/** The figures of a stored quote, as decimal strings. */
type QuoteFigures = Pick<
  FeesAndAmounts,
  | 'sourceInterbankSettlementAmount'
  | 'networkSchemeFee'
  | 'destinationInterbankSettlementAmount'
  | 'creditorAgentFee'
>;

/** FEE-8: the figures of a stored quote. A quote of endpoint 12b ignores fees, so it may leave nothing to credit. */
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
