// Our decimals against decimal.js: whatever is computed with them, the digits are the same.
import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  divideRoundedDownTo,
  divideRoundedUpTo,
  exact,
  renderDecimal,
  roundDownTo,
  roundHalfUpTo,
  roundImprovedRate,
  type Exact,
} from '../../../core/money/money.ts';
import { amountOf, basisPointsText, decimalPlaces, decimalText, rateText } from './arbitraries.ts';

/** Its precision holds every result of these tests. */
const Reference = Decimal.clone({ precision: 400, toExpNeg: -9e15, toExpPos: 9e15 });

/** A value of ours, and the same of decimal.js. */
interface Pair {
  readonly ours: Exact;
  readonly theirs: Decimal;
}

const written = fc.oneof(
  amountOf(5),
  rateText,
  basisPointsText,
  decimalText(18, 10n ** 40n),
  // ties, zeros and trailing zeros
  fc.constantFrom('0', '0.00', '0.5', '0.005', '1.000', '10', '2.5', '0.00000000005', '99999999999.5'),
);

/** Values above and below zero, of up to five steps of arithmetic. */
const value: fc.Arbitrary<Pair> = fc
  .tuple(written, fc.array(fc.tuple(fc.constantFrom('plus', 'minus', 'times'), written), { maxLength: 5 }))
  .map(([first, steps]) =>
    steps.reduce<Pair>(
      ({ ours, theirs }, [step, operand]) => ({
        ours: ours[step](exact(operand)),
        theirs: theirs[step](new Reference(operand)),
      }),
      { ours: exact(first), theirs: new Reference(first) },
    ),
  );
const positive = value.filter(({ theirs }) => theirs.gt(0));
const notNegative = value.filter(({ theirs }) => theirs.gte(0));

const same = (ours: Exact, theirs: Decimal) => expect(renderDecimal(ours)).toBe(theirs.toFixed());

it('sums, differences and products (MON-1)', () => {
  fc.assert(
    fc.property(value, ({ ours, theirs }) => {
      same(ours, theirs);
      same(ours.abs(), theirs.abs());
      expect(ours.isZero()).toBe(theirs.isZero());
    }),
  );
});

it('comparisons, also of values that differ only in trailing zeros', () => {
  const names = ['eq', 'lt', 'lte', 'gt', 'gte', 'cmp'] as const;
  const pairs = fc.oneof(
    fc.tuple(value, value),
    fc
      .tuple(value, fc.constantFrom('0', '0.000'))
      .map(([one, zero]): readonly [Pair, Pair] => [one, { ...one, ours: one.ours.plus(exact(zero)) }]),
  );
  fc.assert(
    fc.property(pairs, ([one, other]) => {
      for (const name of names) expect(one.ours[name](other.ours)).toBe(one.theirs[name](other.theirs));
    }),
  );
});

it('roundings (MON-3)', () => {
  fc.assert(
    fc.property(value, decimalPlaces, ({ ours, theirs }, places) => {
      same(roundHalfUpTo(ours, places), theirs.toDecimalPlaces(places, Decimal.ROUND_HALF_UP));
      same(roundDownTo(ours, places), theirs.toDecimalPlaces(places, Decimal.ROUND_FLOOR));
    }),
  );
  fc.assert(
    fc.property(notNegative, ({ ours, theirs }) => {
      const tenDecimals = theirs.toDecimalPlaces(10, Decimal.ROUND_HALF_UP);
      same(roundImprovedRate(ours), tenDecimals.toSignificantDigits(11, Decimal.ROUND_HALF_UP));
    }),
  );
});

it('quotients', () => {
  fc.assert(
    fc.property(notNegative, positive, decimalPlaces, (dividend, divisor, places) => {
      const units = dividend.theirs.times(new Reference(10).pow(places));
      const down = units.divToInt(divisor.theirs);
      const up = down.times(divisor.theirs).eq(units) ? down : down.plus(1);
      const unit = new Reference(10).pow(-places);
      same(divideRoundedDownTo(dividend.ours, divisor.ours, places), down.times(unit));
      same(divideRoundedUpTo(dividend.ours, divisor.ours, places), up.times(unit));
    }),
  );
});

it('a division by zero, or of what is below zero, is a defect', () => {
  const below = exact('0').minus(exact('1'));
  for (const divide of [divideRoundedDownTo, divideRoundedUpTo]) {
    expect(() => divide(exact('1'), exact('0.00'), 2)).toThrow('above zero');
    expect(() => divide(below, exact('1'), 2)).toThrow('above zero');
  }
});
