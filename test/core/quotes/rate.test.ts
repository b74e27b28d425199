import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exact, isRate, renderDecimal } from '../../../core/money/money.ts';
import { improveRate, improveRateText } from '../../../core/quotes/rate.ts';
import { basisPointsText, rateText } from '../money/arbitraries.ts';
import { improvedRate } from '../money/exact-reference.ts';

describe('improvements (FX-8, MON-3)', () => {
  it.each([
    ['24.975024975', '10', '25'], // 24.999999999975 is half up 25.0000000000
    ['24.975024975', '25', '25.037462537'], // 25.0374625374375: 12 digits, then 11
    ['25', '5', '25.0125'],
    ['0.0400400400', '10', '0.04008008'],
    ['0.0000000001', '10000', '0.0000000002'],
    ['12345678901', '10', '12358024580'], // 12358024579.901
  ])('%s with %s bp is %s', (base, basisPoints, improved) => {
    expect(improveRateText(base, basisPoints)).toBe(improved);
  });

  it('the PSP improvement is applied after the tier, each rounded on its own', () => {
    const tier = improveRate(exact('0.9999999999'), exact('10'))!;
    const both = improveRate(tier, exact('5'))!;
    expect(renderDecimal(tier)).toBe('1.0009999999');
    expect(renderDecimal(both)).toBe('1.0015004999'); // 1.00150049989995
  });

  it('no improvement changes nothing', () => {
    expect(improveRateText('24.975024975', '0')).toBe('24.975024975');
  });

  it('agrees with integer arithmetic, never falls below the base and is a rate that a message can carry', () => {
    fc.assert(
      fc.property(rateText, basisPointsText, (base, basisPoints) => {
        const improved = improveRateText(base, basisPoints);
        const reference = improvedRate(base, basisPoints);
        if (improved === undefined) {
          expect(reference.split('.')[0]?.length).toBe(12);
        } else {
          expect(improved).toBe(reference);
          expect(isRate(improved), improved).toBe(true);
          expect(exact(improved).gte(exact(base))).toBe(true);
        }
      }),
    );
  });

  it('a rate that would need a twelfth digit before the point is not made', () => {
    expect(improveRateText('99999999999', '1')).toBeUndefined();
    expect(improveRateText('50000000000', '10000')).toBeUndefined();
    expect(improveRateText('49999999999', '10000')).toBe('99999999998');
  });
});
