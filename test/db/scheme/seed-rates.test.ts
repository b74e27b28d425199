// The demo's rates follow from its mid rates, spreads and improvements.
import { describe, expect, it } from 'vitest';
import { exact } from '../../../core/money/money.ts';
import type { FxpOffer } from '../../../core/quotes/quote.ts';
import { improveRateText } from '../../../core/quotes/rate.ts';
import { priceQuotes } from '../../core/quotes/pricing.ts';
import { corridorOf, rows } from './seed-rows.ts';

/** What an FXP offers a PSP in a corridor, as quoting reads it. */
function offersIn(corridor: string, pspId: string): FxpOffer[] {
  const active = rows.rates.filter((rate) => corridorOf(rate) === corridor);
  return [...new Set(active.map((rate) => rate.fxp_id))].map((fxpId) => {
    const improvement = rows.psp_improvements.find((one) => one.fxp_id === fxpId && one.psp_id === pspId);
    return {
      fxpId,
      rates: active
        .filter((rate) => rate.fxp_id === fxpId)
        .map((rate) => ({
          rateId: `${fxpId} ${rate.threshold}`,
          tierImprovementId: rate.threshold === '0' ? null : rate.threshold,
          threshold: rate.threshold,
          exchangeRate: rate.exchange_rate,
          createdDateTime: '2025-01-01T00:00:00.000Z',
        })),
      pspImprovement: improvement
        ? { pspImprovementId: '1', basisPoints: improvement.improvement_basis_points }
        : null,
    };
  });
}

describe('rates', () => {
  const base = rows.rates.filter((rate) => rate.threshold === '0');

  it('1,000 SGD of Lotus: Meridian is best, 25,000 THB, fee 100, credited 24,900, scheme fee 1.50', () => {
    const result = priceQuotes(
      { amountSide: 'source', amount: '1000', sourceDecimalPlaces: 2, destinationDecimalPlaces: 2 },
      offersIn('SG SGD TH THB', 'SG-LOTU'),
      { sourceMaximum: '200000', destinationMaximum: '2000000' },
      {
        schemeFee: { nominalFeeAmount: '0.50', percentageFeeAsRatio: '0.001' },
        creditorAgentFee: { nominalFee: '75.00', percentageFee: '0.1' },
      },
    );
    const quotes = result.ok ? result.value : [];
    expect(quotes.map((quote) => quote.fxpId)).toEqual(['SG-MERI', 'HK-ZENI', 'DE-ORBI', 'JP-POLA']);
    expect(quotes[0]).toMatchObject({
      exchangeRate: '25',
      destinationInterbankSettlementAmount: '25000',
      creditorAgentFee: '100',
      creditorAccountAmount: '24900',
      networkSchemeFee: '1.5',
    });
  });

  it('every base rate is the mid rate less the spread of its FX provider (seed data, MON-1)', () => {
    const mids = { SGD: '1', MYR: '3.2915', THB: '25.000025', PHP: '44.2138', INR: '66.0742', IDR: '12458.3', HKD: '6.0517', CNY: '5.5412', EUR: '0.68321', JPY: '114.863' }; // prettier-ignore
    const spreads = { 'SG-MERI': 10, 'HK-ZENI': 8, 'DE-ORBI': 15, 'JP-POLA': 20 };
    const millionths = (currency: string) => {
      const [whole = '', fraction = ''] = mids[currency as keyof typeof mids].split('.');
      return BigInt(whole + fraction.padEnd(6, '0'));
    };
    for (const rate of base) {
      const kept = 10_000n - BigInt(spreads[rate.fxp_id as keyof typeof spreads]);
      const [top, bottom] = [
        millionths(rate.destination_currency) * kept,
        millionths(rate.source_currency) * 10_000n,
      ];
      const halfUp = (value: bigint, unit: bigint) => (value * 2n + unit) / (unit * 2n);
      const tenDecimals = halfUp(top * 10n ** 10n, bottom);
      const places = Math.min(10, 11 - String(tenDecimals / 10n ** 10n).length);
      const rounded = String(halfUp(tenDecimals, 10n ** BigInt(10 - places))).padStart(places + 1, '0');
      const text = `${rounded.slice(0, -places)}.${rounded.slice(-places)}`.replace(/\.?0+$/, '');
      expect([rate.fxp_id, corridorOf(rate), rate.exchange_rate]).toEqual([
        rate.fxp_id,
        corridorOf(rate),
        text,
      ]);
    }
  });

  it('every tier rate is the base rate with the tier of that currency (FX-4, FX-8)', () => {
    const tierRates = rows.rates.filter((rate) => rate.threshold !== '0');
    expect(tierRates).toHaveLength(3 * 106);
    expect(rows.tier_improvements).toHaveLength(3 * 10);
    for (const rate of tierRates) {
      const own = base.find((one) => one.fxp_id === rate.fxp_id && corridorOf(one) === corridorOf(rate))!;
      const tier = rows.tier_improvements.find(
        (one) =>
          one.fxp_id === rate.fxp_id &&
          one.unit_currency === rate.source_currency &&
          one.threshold === rate.threshold,
      )!;
      expect(rate.exchange_rate).toBe(improveRateText(own.exchange_rate, tier.improvement_basis_points));
    }
    expect(rows.psp_improvements).toMatchObject([
      { fxp_id: 'SG-MERI', psp_id: 'SG-BANY', improvement_basis_points: '5' },
    ]);
  });

  it('there and back again never gains: no pair of opposite base rates makes money', () => {
    const best = new Map<string, string>();
    for (const rate of base) {
      const known = best.get(corridorOf(rate));
      if (known === undefined || exact(rate.exchange_rate).gt(exact(known))) {
        best.set(corridorOf(rate), rate.exchange_rate);
      }
    }
    for (const [corridor, rate] of best) {
      const [country = '', currency = '', otherCountry = '', otherCurrency = ''] = corridor.split(' ');
      const back = best.get([otherCountry, otherCurrency, country, currency].join(' '))!;
      expect(exact(rate).times(exact(back)).lt(exact('1'))).toBe(true);
    }
  });
});
