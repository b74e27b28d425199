import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  creditorAgentFee,
  feeOn,
  feesAndAmounts,
  schemeFee,
  settlementForCredited,
  type FeesAndAmountsRequest,
} from '../../../core/money/fee.ts';
import { exact, renderDecimal } from '../../../core/money/money.ts';
import { amountOf, decimalPlaces, decimalText, usualRate } from './arbitraries.ts';
import { add, divide, fraction, multiply, ofUnits, text, units } from './exact-reference.ts';

const singapore = { nominalFeeAmount: '0.50', percentageFeeAsRatio: '0.001' };
const thailand = { nominalFee: '75.00', percentageFee: '0.1' };

const sgdToThb = (over: Partial<FeesAndAmountsRequest>): FeesAndAmountsRequest => ({
  amountSide: 'source',
  amount: '1000',
  exchangeRate: '25',
  sourceDecimalPlaces: 2,
  destinationDecimalPlaces: 2,
  schemeFee: singapore,
  creditorAgentFee: thailand,
  ...over,
});

describe('fees (FEE-1, FEE-2)', () => {
  it('1,000 SGD: 0.50 + 0.1 % is 1.50', () => {
    expect(renderDecimal(feeOn(exact('1000'), schemeFee(singapore, 2)))).toBe('1.5');
  });

  it('25,000 THB: 75 + 0.1 % is 100', () => {
    expect(renderDecimal(feeOn(exact('25000'), creditorAgentFee(thailand, 2)))).toBe('100');
  });

  it('half a unit rounds up: 0.50 + 0.001 x 1005 is 1.505, so 1.51', () => {
    expect(renderDecimal(feeOn(exact('1005'), schemeFee(singapore, 2)))).toBe('1.51');
  });

  it('yen and rupiah have no decimals: 100 + 0.1 % of 1,499 is 101.499, so 101; of 1,500 it is 102', () => {
    const japan = creditorAgentFee({ nominalFee: '100', percentageFee: '0.1' }, 0);
    expect(renderDecimal(feeOn(exact('1499'), japan))).toBe('101');
    expect(renderDecimal(feeOn(exact('1500'), japan))).toBe('102');
    const indonesia = creditorAgentFee({ nominalFee: '6500', percentageFee: '0.1' }, 0);
    expect(renderDecimal(feeOn(exact('1000000'), indonesia))).toBe('7500');
  });

  it('a fee of 100 % has no inverse and is a defect of our configuration', () => {
    expect(() => creditorAgentFee({ nominalFee: '0', percentageFee: '100' }, 2)).toThrow('below 100 %');
  });
});

describe('destination amount given (FEE-4)', () => {
  const formula = fc.record({
    nominalFee: decimalText(3, 100_000_000n),
    percentageFee: fc.oneof(decimalText(3, 5_000n), decimalText(4, 999_999n)),
  });

  it('24,900 THB credited: 25,000 THB settle', () => {
    const settlement = settlementForCredited(exact('24900'), creditorAgentFee(thailand, 2));
    expect(renderDecimal(settlement)).toBe('25000');
  });

  it('is found for every amount, gives the amount back, and one unit less does not', () => {
    fc.assert(
      fc.property(
        formula,
        decimalPlaces.chain((places) => fc.tuple(fc.constant(places), amountOf(places))),
        (stored, [places, credited]) => {
          const settlement = settlementForCredited(exact(credited), creditorAgentFee(stored, places));
          const found = units(fraction(renderDecimal(settlement)), places, 'down');
          const wanted = units(fraction(credited), places, 'down');
          const left = (count: bigint): bigint => {
            const percent = divide(fraction(stored.percentageFee), fraction('100'));
            const fee = add(fraction(stored.nominalFee), multiply(percent, ofUnits(count, places)));
            return count - units(fee, places, 'half up');
          };
          expect(text(found, places)).toBe(renderDecimal(settlement)); // on the grid
          expect(left(found)).toBe(wanted);
          expect(left(found - 1n)).toBeLessThan(wanted); // `left` never falls, so nothing smaller fits either
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('fees and amounts (endpoint 14)', () => {
  it('FEE-3: 1,000 SGD at 25', () => {
    expect(feesAndAmounts(sgdToThb({}))).toEqual({
      ok: true,
      value: {
        sourceInterbankSettlementAmount: '1000',
        networkSchemeFee: '1.5',
        destinationInterbankSettlementAmount: '25000',
        creditorAgentFee: '100',
        creditorAccountAmount: '24900',
      },
    });
  });

  it('FEE-4: the source amount is rounded up, so that the FX provider is never short', () => {
    // 25000 / 24.9 is 1004.016...
    const request = sgdToThb({ amountSide: 'destination', amount: '24900', exchangeRate: '24.9' });
    expect(feesAndAmounts(request)).toMatchObject({ value: { sourceInterbankSettlementAmount: '1004.02' } });
  });

  it('FEE-6: nothing is capped', () => {
    expect(feesAndAmounts(sgdToThb({ amount: '900000000000' }))).toMatchObject({
      value: {
        destinationInterbankSettlementAmount: '22500000000000',
        creditorAccountAmount: '22477499999925',
      },
    });
  });

  it.each([
    ['the fee takes everything: 3 SGD are 75 THB, the fee 75.08', { amount: '3' }],
    [
      'the fee equals the amount',
      { amount: '4', creditorAgentFee: { nominalFee: '100', percentageFee: '0' } },
    ],
    ['nothing is asked', { amount: '0' }],
  ])('FEE-5: %s', (_, over) => {
    expect(feesAndAmounts(sgdToThb(over))).toMatchObject({
      ok: false,
      refusal: { code: 'amount-too-small', ruleId: 'FEE-5' },
    });
  });

  it('credited plus fee is the destination amount, and the source buys it', () => {
    fc.assert(
      fc.property(
        amountOf(2),
        usualRate,
        fc.constantFrom<'source' | 'destination'>('source', 'destination'),
        (amount, exchangeRate, amountSide) => {
          const result = feesAndAmounts(sgdToThb({ amount, exchangeRate, amountSide }));
          if (!result.ok) {
            // an amount to be credited can always be paid, if a message can carry what it takes (FEE-6)
            if (amountSide === 'destination') expect(result.refusal.code).toBe('amount-too-large');
            return;
          }
          const destination = exact(result.value.destinationInterbankSettlementAmount);
          const deducted = exact(result.value.creditorAgentFee);
          expect(renderDecimal(exact(result.value.creditorAccountAmount).plus(deducted))).toBe(
            renderDecimal(destination),
          );
          const bought = exact(result.value.sourceInterbankSettlementAmount).times(exact(exchangeRate));
          if (amountSide === 'destination') {
            expect(result.value.creditorAccountAmount).toBe(amount);
            expect(bought.gte(destination)).toBe(true);
          } else {
            expect(result.value.sourceInterbankSettlementAmount).toBe(amount);
          }
        },
      ),
    );
  });
});
