/** The demo's rates against the figures that the seed data promise. */
import { describe, expect, it } from 'vitest';
import { feesAndAmounts } from '../../../core/money/fee.ts';
import { exact, isRate } from '../../../core/money/money.ts';
import type { FxpOffer } from '../../../core/quotes/quote.ts';
import { improveRateText } from '../../../core/quotes/rate.ts';
import { priceQuotes } from '../../core/quotes/pricing.ts';
import { allCorridors, corridorOf, expectUnique, rows } from './seed-rows.ts';

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

  it('SG to TH: Meridian 24.975024975, its first tier 25', () => {
    const meridian = rows.rates.filter(
      (rate) => rate.fxp_id === 'SG-MERI' && corridorOf(rate) === 'SG SGD TH THB',
    );
    expect(meridian.map((rate) => [rate.threshold, rate.exchange_rate])).toEqual([
      ['0', '24.975024975'],
      ['1000', '25'],
      ['10000', '25.037462537'],
      ['50000', '25.0999001'],
    ]);
  });

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

  it('every FX provider that may has a base rate in every corridor; Polar has none from or to PH (FX-1)', () => {
    const missing = (fxpId: string): string[] => {
      const own = base.filter((rate) => rate.fxp_id === fxpId).map(corridorOf);
      expectUnique(own);
      return allCorridors.filter((corridor) => !own.includes(corridor));
    };
    expect(missing('SG-MERI')).toEqual([]);
    expect(missing('DE-ORBI')).toEqual([]);
    expect(missing('HK-ZENI')).toEqual(['IN INR ID IDR']);
    expect(missing('JP-POLA').every((corridor) => corridor.includes('PH PHP'))).toBe(true);
    expect(missing('JP-POLA')).toHaveLength(20);
    expect(base).toHaveLength(4 * 106 - 1 - 20);
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

  it('every rate has at most 11 digits and 10 decimals (MON-1)', () => {
    for (const rate of rows.rates) expect(isRate(rate.exchange_rate)).toBe(true);
  });

  it('no ranking ties by accident: no two FX providers meet in any corridor, at any tier, for any PSP', () => {
    for (const corridor of allCorridors) {
      const offered = rows.rates.filter((rate) => corridorOf(rate) === corridor);
      for (const basisPoints of ['0', '5']) {
        const seen = offered.map((rate) =>
          rate.fxp_id === 'SG-MERI' ? improveRateText(rate.exchange_rate, basisPoints)! : rate.exchange_rate,
        );
        expectUnique(seen);
      }
    }
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

  it('an ordinary amount pays in every corridor: the lower maximum leaves something to credit', () => {
    for (const rate of base) {
      const formula = <Formula extends { country_code: string; currency_code: string }>(
        of: Formula[],
        country: string,
        currency: string,
      ): Formula => of.find((one) => one.country_code === country && one.currency_code === currency)!;
      const scheme = formula(rows.scheme_fee_formulas, rate.source_country, rate.source_currency);
      const creditor = formula(
        rows.creditor_agent_fee_formulas,
        rate.destination_country,
        rate.destination_currency,
      );
      const places = (code: string): number =>
        rows.currencies.find((currency) => currency.currency_code === code)!.decimal_places;
      const maximum = rows.clearing_systems.find((system) => system.currency_code === rate.source_currency)!;
      const result = feesAndAmounts({
        amountSide: 'source',
        amount: maximum.max_amount,
        exchangeRate: rate.exchange_rate,
        sourceDecimalPlaces: places(rate.source_currency),
        destinationDecimalPlaces: places(rate.destination_currency),
        schemeFee: {
          nominalFeeAmount: scheme.nominal_fee_amount,
          percentageFeeAsRatio: scheme.percentage_fee_as_ratio,
        },
        creditorAgentFee: { nominalFee: creditor.nominal_fee_amount, percentageFee: creditor.percentage_fee },
      });
      expect(result.ok).toBe(true);
    }
  });
});
