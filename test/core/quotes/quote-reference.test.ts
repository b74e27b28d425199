// Pricing, compared with a second implementation of the rules in BigInt.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AdjustedQuote, PricedQuote } from '../../../core/quotes/quote.ts';
import { decimalText, usualRate } from '../money/arbitraries.ts';
import {
  add,
  divide,
  fraction,
  improvedRate,
  multiply,
  ofUnits,
  text,
  units,
} from '../money/exact-reference.ts';
import { priceQuotes, priceQuotesWithoutFees } from './pricing.ts';

const formulas = { schemeFee: { nominalFeeAmount: '0.50', percentageFeeAsRatio: '0.001' } };
const createdDateTime = '2025-01-01T00:00:00.000Z';

describe('against integer arithmetic', () => {
  const scenario = fc.record({
    side: fc.constantFrom<'source' | 'destination'>('source', 'destination'),
    sourcePlaces: fc.constantFrom(0, 2),
    destinationPlaces: fc.constantFrom(0, 2, 3),
    base: usualRate,
    thresholds: fc.uniqueArray(fc.integer({ min: 1, max: 300_000 }), { maxLength: 3 }),
    basisPoints: fc.array(decimalText(1, 2_000n), { minLength: 3, maxLength: 3 }),
    pspBasisPoints: fc.option(decimalText(1, 1_000n)),
    amountUnits: fc.oneof(fc.bigInt({ min: 1n, max: 100_000_000n }), fc.bigInt({ min: 1n, max: 10n ** 14n })),
    sourceMaximum: fc.bigInt({ min: 1n, max: 10n ** 9n }),
    destinationMaximum: fc.bigInt({ min: 1n, max: 10n ** 9n }),
    percentageFee: decimalText(3, 20_000n),
    nominalFee: decimalText(2, 100_000n),
  });
  type Scenario = typeof scenario extends fc.Arbitrary<infer Drawn> ? Drawn : never;

  /**
   * The rules once more, in units of BigInt: [tier, rate, S, S capped, D, D capped, fee], or undefined when too small.
   */
  function reference(drawn: Scenario, withFees: boolean): unknown[] | undefined {
    const { sourcePlaces, destinationPlaces } = drawn;
    const feeUnits = (count: bigint): bigint => {
      const ratio = divide(fraction(drawn.percentageFee), fraction('100'));
      const exactFee = add(fraction(drawn.nominalFee), multiply(ratio, ofUnits(count, destinationPlaces)));
      return units(exactFee, destinationPlaces, 'half up');
    };
    let wanted = drawn.amountUnits;
    if (drawn.side === 'destination' && withFees) {
      // smallest D with D - fee(D) = C, by bisection: D - fee(D) never falls
      let [low, high] = [0n, 4n * (drawn.amountUnits + 10n ** 8n)];
      while (low < high) {
        const middle = (low + high) / 2n;
        if (middle - feeUnits(middle) >= drawn.amountUnits) high = middle;
        else low = middle + 1n;
      }
      wanted = low;
    }
    const tried = drawn.thresholds
      .map((threshold, index) => ({
        threshold,
        rate: improvedRate(drawn.base, drawn.basisPoints[index] ?? '0'),
      }))
      .sort((a, b) => b.threshold - a.threshold);
    for (const { threshold, rate: stored } of [...tried, { threshold: 0, rate: drawn.base }]) {
      const rate = drawn.pspBasisPoints === null ? stored : improvedRate(stored, drawn.pspBasisPoints);
      const toDestination = (count: bigint): bigint =>
        units(multiply(ofUnits(count, sourcePlaces), fraction(rate)), destinationPlaces, 'half up');
      const toSource = (count: bigint): bigint =>
        units(divide(ofUnits(count, destinationPlaces), fraction(rate)), sourcePlaces, 'up');
      let [s, d] = drawn.side === 'source' ? [wanted, toDestination(wanted)] : [toSource(wanted), wanted];
      const [sCapped, dCapped] = [s > drawn.sourceMaximum, d > drawn.destinationMaximum];
      if (sCapped || dCapped) {
        [s, d] = [drawn.sourceMaximum, toDestination(drawn.sourceMaximum)];
        if (d > drawn.destinationMaximum)
          [s, d] = [toSource(drawn.destinationMaximum), drawn.destinationMaximum];
      }
      if (s < BigInt(threshold) * 10n ** BigInt(sourcePlaces)) continue;
      const fee = feeUnits(d);
      if (s === 0n || d === 0n || (withFees && fee >= d)) return undefined;
      const shown = [text(s, sourcePlaces), sCapped, text(d, destinationPlaces), dCapped];
      return [
        threshold === 0 ? null : `tier-${String(threshold)}`,
        rate,
        ...shown,
        text(fee, destinationPlaces),
      ];
    }
    throw new Error('the base rate always applies');
  }

  function asked(drawn: Scenario): Parameters<typeof priceQuotes> {
    const { sourcePlaces, destinationPlaces, side } = drawn;
    const stored = drawn.thresholds.map((threshold, index) => ({
      rateId: `rate-${String(threshold)}`,
      tierImprovementId: `tier-${String(threshold)}`,
      threshold: String(threshold),
      exchangeRate: improvedRate(drawn.base, drawn.basisPoints[index] ?? '0'),
      createdDateTime,
    }));
    const base = {
      rateId: 'base',
      tierImprovementId: null,
      threshold: '0',
      exchangeRate: drawn.base,
      createdDateTime,
    };
    const pspImprovement =
      drawn.pspBasisPoints === null ? null : { pspImprovementId: 'psp', basisPoints: drawn.pspBasisPoints };
    return [
      {
        amountSide: side,
        amount: text(drawn.amountUnits, side === 'source' ? sourcePlaces : destinationPlaces),
        sourceDecimalPlaces: sourcePlaces,
        destinationDecimalPlaces: destinationPlaces,
      },
      [{ fxpId: 'MERISGS0', rates: [base, ...stored], pspImprovement }],
      {
        sourceMaximum: text(drawn.sourceMaximum, sourcePlaces),
        destinationMaximum: text(drawn.destinationMaximum, destinationPlaces),
      },
      {
        schemeFee: formulas.schemeFee,
        creditorAgentFee: { nominalFee: drawn.nominalFee, percentageFee: drawn.percentageFee },
      },
    ];
  }

  const shown = (quote: PricedQuote | AdjustedQuote | undefined): unknown[] | undefined =>
    quote && [
      quote.tierImprovementId,
      quote.exchangeRate,
      quote.sourceInterbankSettlementAmount,
      quote.sourceCappedToMaxAmount,
      quote.destinationInterbankSettlementAmount,
      quote.destinationCappedToMaxAmount,
      quote.creditorAgentFee,
    ];

  it('every figure of a quote is the one that the rules give (QUO-3, QUO-4, FEE-2, FEE-4)', () => {
    fc.assert(
      fc.property(scenario, (drawn) => {
        const result = priceQuotes(...asked(drawn));
        expect(result.ok ? shown(result.value[0]) : undefined).toEqual(reference(drawn, true));
      }),
      { numRuns: 1_000 },
    );
  });

  it('and so is every figure of endpoint 12b, without fees (QUO-5)', () => {
    fc.assert(
      fc.property(scenario, (drawn) => {
        const result = priceQuotesWithoutFees(...asked(drawn));
        expect(result.ok ? shown(result.value[0]) : undefined).toEqual(reference(drawn, false));
      }),
      { numRuns: 1_000 },
    );
  });
});
