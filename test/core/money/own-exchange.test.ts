// A payment without a quote: its own account, and figures that agree with endpoint 14 (PAY-5, FEE-7).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { feesAndAmounts } from '../../../core/money/fee.ts';
import { plainDecimal } from '../../../core/money/money.ts';
import { judge, own, ownRate, valid } from '../payments/judged-payment.ts';
import { add, fraction, multiply, ofUnits, text, units } from './exact-reference.ts';
import { amountOf, usualRate } from './arbitraries.ts';

describe('a payment without a quote (PAY-5)', () => {
  const at = (amount: string, rate: string, fee: string) =>
    judge({
      ...own,
      interbankSettlementAmount: { currency: 'SGD', amount },
      agreedRate: { ...ownRate, preAgreedExchangeRate: rate },
      charges: [valid.charges[0], { ...valid.charges[1], amount: fee }],
    });

  test('settles amount x rate half up, from the account of its own', () => {
    expect(at('333.33', '25.5', '83.5')).toMatchObject({
      quote: undefined,
      destinationAmount: { currency: 'THB', amount: '8499.92' }, // 8,499.915
      creditorAgentFee: '83.5', // 75 + 8.49992
      sourceLeg: undefined,
      destinationLeg: { agent: { bicfi: 'HARBTHS0' }, account: { otherId: 'LOTU-TH-THB' } },
    });
  });

  const crediting = (credited: string, currency: string, amount: string, fee: string) =>
    judge({
      ...own,
      interbankSettlementAmount: { currency: 'SGD', amount },
      instructedAmount: { currency, amount: credited },
      charges: [valid.charges[0], { ...valid.charges[1], amount: fee }],
    });

  test('credits the instructed amount where that is in the destination currency (FEE-7)', () => {
    // 24,979.98 less 99.98 is 24,880; 24,979.98 / 25 is 999.1992
    expect(crediting('24880', 'THB', '999.2', '99.98')).toMatchObject({
      sourceAmount: { amount: '999.2' },
      destinationAmount: { currency: 'THB', amount: '24979.98' },
      creditorAgentFee: '99.98',
    });
    expect(crediting('24880', 'THB', '999.21', '99.98')).toBe('own-amount-wrong');
    expect(crediting('24880', 'THB', '999.19', '99.98')).toBe('own-amount-wrong');
    expect(crediting('24880', 'THB', '999.2', '99.97')).toBe('creditor-agent-fee-wrong');
    // In the source currency it says nothing about what is credited.
    expect(crediting('5', 'SGD', '1000', '100')).toMatchObject({ destinationAmount: { amount: '25000' } });
  });

  test('whatever endpoint 14 answers, in either direction, makes a payment that credits what it said (FEE-7)', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('source' as const, 'destination' as const),
        fc.integer({ min: 10_000, max: 99_999_999 }),
        fc.integer({ min: 2_000_000_001, max: 2_599_999_999 }),
        (amountSide, hundredths, rateUnits) => {
          const amount = plainDecimal(hundredths.toString().replace(/(\d\d)$/, '.$1'));
          const rate = plainDecimal(rateUnits.toString().replace(/(\d{8})$/, '.$1'));
          const answer = feesAndAmounts({
            amountSide,
            amount,
            exchangeRate: rate,
            sourceDecimalPlaces: 2,
            destinationDecimalPlaces: 2,
            schemeFee: { nominalFeeAmount: '0.5', percentageFeeAsRatio: '0.001' },
            creditorAgentFee: { nominalFee: '75', percentageFee: '0.1' },
          });
          if (!answer.ok) return;
          const figures = answer.value;
          const isAbove = Number(figures.destinationInterbankSettlementAmount) > 2_000_000;
          const outcome = judge({
            ...own,
            interbankSettlementAmount: { currency: 'SGD', amount: figures.sourceInterbankSettlementAmount },
            ...(amountSide === 'destination' ? { instructedAmount: { currency: 'THB', amount } } : {}),
            agreedRate: { ...ownRate, preAgreedExchangeRate: rate },
            charges: [valid.charges[0], { ...valid.charges[1], amount: figures.creditorAgentFee }],
          });
          if (isAbove) expect(outcome).toBe('destination-maximum-exceeded');
          else
            expect(outcome).toMatchObject({
              destinationAmount: { amount: figures.destinationInterbankSettlementAmount },
              creditorAgentFee: figures.creditorAgentFee,
            });
        },
      ),
    );
  });

  test('may reach the destination maximum, and not exceed it (PAY-6)', () => {
    expect(at('80000', '25', '2075')).toMatchObject({ destinationAmount: { amount: '2000000' } });
    expect(at('80000.01', '25', '2075')).toBe('destination-maximum-exceeded'); // 2,000,000.25; fee 2,075.00025
  });

  test.each([
    ['of an FX provider', { intermediaryAgent2Account: { otherId: 'MERI-TH-THB' } }],
    [
      'of its own in another country',
      { intermediaryAgent2: { bicfi: 'HARBSGS0' }, intermediaryAgent2Account: { otherId: 'LOTU-SG-SGD' } },
    ],
    ['at another SAP', { intermediaryAgent2: { bicfi: 'HARBSGS0' } }],
    ['that nobody knows', { intermediaryAgent2Account: { otherId: 'X' } }],
  ])('must not pay from an account %s', (_, changes) => {
    expect(judge({ ...own, ...changes })).toBe('own-account-unregistered');
  });

  test('settles, for any amount and rate, what the formulas say, exactly', () => {
    fc.assert(
      fc.property(amountOf(2), usualRate, (amount, rate) => {
        const settled = units(multiply(fraction(amount), fraction(rate)), 2, 'half up');
        const percentage = multiply(ofUnits(settled, 2), fraction('0.001'));
        const fee = units(add(fraction('75'), percentage), 2, 'half up');
        const expected =
          fee >= settled
            ? 'amount-too-small'
            : settled > 200_000_000n
              ? 'destination-maximum-exceeded'
              : {
                  destinationAmount: { currency: 'THB', amount: text(settled, 2) },
                  creditorAgentFee: text(fee, 2),
                };
        const judged = at(amount, rate, text(fee, 2));
        if (typeof expected === 'string') expect(judged).toBe(expected);
        else expect(judged).toMatchObject(expected);
      }),
      { numRuns: 500 },
    );
  });
});
