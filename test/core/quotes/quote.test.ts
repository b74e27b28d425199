import { describe, expect, it } from 'vitest';
import type { AdjustedQuote, FxpOffer, PricedQuote } from '../../../core/quotes/quote.ts';
import { improveRateText } from '../../../core/quotes/rate.ts';
import { priceQuotes, priceQuotesWithoutFees, settlement, type Asked } from './pricing.ts';

const limits = { sourceMaximum: '200000', destinationMaximum: '2000000' }; // SG, TH
const formulas = {
  schemeFee: { nominalFeeAmount: '0.50', percentageFeeAsRatio: '0.001' },
  creditorAgentFee: { nominalFee: '75.00', percentageFee: '0.1' },
};
const tiers = [
  ['1000', '10'],
  ['10000', '25'],
  ['50000', '50'],
] as const;
const dayOne = '2025-01-01T00:00:00.000Z';
const dayTwo = '2025-01-02T00:00:00.000Z';

function request(over: Partial<Asked>): Asked {
  return {
    amountSide: 'source',
    amount: '1000',
    sourceDecimalPlaces: 2,
    destinationDecimalPlaces: 2,
    ...over,
  };
}

function offer(
  fxpId: string,
  base: string,
  over: Partial<FxpOffer> & { createdDateTime?: string } = {},
): FxpOffer {
  const { createdDateTime = dayOne, ...rest } = over;
  const rate = { rateId: `${fxpId}-base`, tierImprovementId: null, threshold: '0', exchangeRate: base };
  return { fxpId, rates: [{ ...rate, createdDateTime }], pspImprovement: null, ...rest };
}

/** Meridian's base rate and the tiers that FX-4 stores of it. */
function meridian(base = '24.975024975'): FxpOffer {
  const stored = tiers.map(([threshold, basisPoints]) => ({
    rateId: `MERISGS0-${threshold}`,
    tierImprovementId: `tier-${threshold}`,
    threshold,
    exchangeRate: improveRateText(base, basisPoints)!,
    createdDateTime: dayOne,
  }));
  return offer('MERISGS0', base, { rates: [...offer('MERISGS0', base).rates, ...stored] });
}

function price(asked: Partial<Asked>, offers: FxpOffer[], maxima = limits): readonly PricedQuote[] {
  const result = priceQuotes(request(asked), offers, maxima, formulas);
  if (!result.ok) throw new Error(`unexpected ${result.refusal.code}`);
  return result.value;
}

function adjust(asked: Partial<Asked>, offers: FxpOffer[], maxima = limits): readonly AdjustedQuote[] {
  const result = priceQuotesWithoutFees(request(asked), offers, maxima, formulas);
  if (!result.ok) throw new Error(`unexpected ${result.refusal.code}`);
  return result.value;
}

describe('one quote (FEE-3, FEE-4)', () => {
  const thousand = {
    fxpId: 'MERISGS0',
    rateId: 'MERISGS0-1000',
    tierImprovementId: 'tier-1000',
    pspImprovementId: null,
    rateCreatedDateTime: dayOne,
    exchangeRate: '25',
    sourceInterbankSettlementAmount: '1000',
    sourceCappedToMaxAmount: false,
    destinationInterbankSettlementAmount: '25000',
    destinationCappedToMaxAmount: false,
    networkSchemeFee: '1.5',
    creditorAgentFee: '100',
    creditorAccountAmount: '24900',
    ...settlement,
  };

  it('1,000 SGD to TH: tier rate 25, 25,000 THB, fee 100, credited 24,900, scheme fee 1.50', () => {
    expect(price({}, [meridian()])).toEqual([thousand]);
  });

  it('24,900 THB to be credited is the same quote', () => {
    expect(price({ amountSide: 'destination', amount: '24900' }, [meridian()])).toEqual([thousand]);
  });

  it('the PSP improvement comes after the tier (FX-8): 25 with 5 bp more is 25.0125', () => {
    const pspImprovement = { pspImprovementId: 'banyan', basisPoints: '5' };
    expect(price({}, [{ ...meridian(), pspImprovement }])).toMatchObject([
      {
        exchangeRate: '25.0125',
        tierImprovementId: 'tier-1000',
        pspImprovementId: 'banyan',
        destinationInterbankSettlementAmount: '25012.5',
      },
    ]);
  });

  it('currencies without decimals (MON-2): 10,000 JPY to IDR at 107.1234567', () => {
    const result = priceQuotes(
      request({ amount: '10000', sourceDecimalPlaces: 0, destinationDecimalPlaces: 0 }),
      [offer('POLAJPS0', '107.1234567')],
      { sourceMaximum: '1000000', destinationMaximum: '15000000' },
      {
        schemeFee: { nominalFeeAmount: '50', percentageFeeAsRatio: '0.001' },
        creditorAgentFee: { nominalFee: '6500', percentageFee: '0.1' },
      },
    );
    expect(result).toMatchObject({
      value: [
        {
          networkSchemeFee: '60',
          destinationInterbankSettlementAmount: '1071235', // 1071234.567
          creditorAgentFee: '7571', // 6500 + 1071.235
          creditorAccountAmount: '1063664',
        },
      ],
    });
  });
});

describe('the tier (QUO-3)', () => {
  it.each([
    ['999.99', null],
    ['1000', 'tier-1000'],
    ['9999.99', 'tier-1000'],
    ['10000', 'tier-10000'],
    ['49999.99', 'tier-10000'],
    ['50000', 'tier-50000'],
  ])('%s SGD takes %s', (amount, tierImprovementId) => {
    expect(price({ amount }, [meridian()])).toMatchObject([{ tierImprovementId }]);
  });

  it('is judged by the source amount that its own rate gives, when the destination amount is given', () => {
    // 24,900 credited settle 25,000: at the tier's 25 that is 1,000.00. One satang less: 999.9996 rounds up to
    // 1,000.00.
    const at = (amount: string): readonly PricedQuote[] =>
      price({ amountSide: 'destination', amount }, [meridian()]);
    expect(at('24900')).toMatchObject([{ tierImprovementId: 'tier-1000' }]);
    expect(at('24899.99')).toMatchObject([
      { tierImprovementId: 'tier-1000', sourceInterbankSettlementAmount: '1000' },
    ]);
    // 24,999.74 at 25 is 999.9896, so 999.99: the base rate, at which it costs 1,000.99
    expect(at('24899.74')).toMatchObject([
      { tierImprovementId: null, exchangeRate: '24.975024975', sourceInterbankSettlementAmount: '1000.99' },
    ]);
  });

  it('is judged after capping: what is capped to 2,000,000 THB costs at least 50,000 SGD', () => {
    expect(price({ amount: '150000' }, [meridian()])).toMatchObject([
      { tierImprovementId: 'tier-50000', sourceInterbankSettlementAmount: '79681.6' }, // 2,000,000 / 25.0999...
    ]);
    const low = { sourceMaximum: '200000', destinationMaximum: '250000' };
    expect(price({ amount: '150000' }, [meridian()], low)).toMatchObject([
      { tierImprovementId: 'tier-1000', sourceInterbankSettlementAmount: '10000', exchangeRate: '25' },
    ]);
  });
});

describe('capping (QUO-4)', () => {
  const at25 = [offer('ORBIDES0', '25')];

  it.each([
    // asked, source and destination maximum; what comes of it
    ['both fit', '1000', '1000', '25000', '1000', false, '25000', false],
    ['source exceeded', '1000.01', '1000', '30000', '1000', true, '25000', false],
    ['destination exceeded', '1000', '2000', '24000', '960', false, '24000', true],
    ['both exceeded, source binds', '2000', '1000', '30000', '1000', true, '25000', true],
    ['both exceeded, destination binds', '2000', '1000', '10000', '400', true, '10000', true],
    [
      'only the source exceeded, but both maxima meet',
      '1000.01',
      '1000',
      '25001',
      '1000',
      true,
      '25000',
      false,
    ],
  ])('source given, %s', (_, amount, sourceMaximum, destinationMaximum, s, sCapped, d, dCapped) => {
    expect(price({ amount }, at25, { sourceMaximum, destinationMaximum })).toMatchObject([
      {
        sourceInterbankSettlementAmount: s,
        sourceCappedToMaxAmount: sCapped,
        destinationInterbankSettlementAmount: d,
        destinationCappedToMaxAmount: dCapped,
      },
    ]);
  });

  it('destination given: 49,875 THB credited would settle 50,000; the maximum of 24,000 costs 960 SGD, fees anew', () => {
    const asked = { amountSide: 'destination', amount: '49875' } as const;
    expect(price(asked, at25, { sourceMaximum: '5000', destinationMaximum: '24000' })).toMatchObject([
      {
        sourceInterbankSettlementAmount: '960',
        sourceCappedToMaxAmount: false,
        networkSchemeFee: '1.46',
        destinationInterbankSettlementAmount: '24000',
        destinationCappedToMaxAmount: true,
        creditorAgentFee: '99',
        creditorAccountAmount: '23901',
      },
    ]);
  });

  it('destination given, source maximum exceeded', () => {
    const asked = { amountSide: 'destination', amount: '49875' } as const;
    expect(price(asked, at25, { sourceMaximum: '1000', destinationMaximum: '60000' })).toMatchObject([
      {
        sourceInterbankSettlementAmount: '1000',
        sourceCappedToMaxAmount: true,
        destinationInterbankSettlementAmount: '25000',
        destinationCappedToMaxAmount: false,
      },
    ]);
  });

  it('a maximum with finer decimals than its currency counts as the amount below it', () => {
    const result = priceQuotes(
      request({ amount: '1000', sourceDecimalPlaces: 0, destinationDecimalPlaces: 0 }),
      at25,
      { sourceMaximum: '999.99', destinationMaximum: '20000.5' },
      formulas,
    );
    expect(result).toMatchObject({
      value: [{ sourceInterbankSettlementAmount: '800', destinationInterbankSettlementAmount: '20000' }],
    });
  });
});

describe('too small (FEE-5)', () => {
  const rejected = { ok: false, refusal: { code: 'amount-too-small', ruleId: 'FEE-5' } };

  it('3 SGD are 75 THB and the fee takes them all', () => {
    expect(priceQuotes(request({ amount: '3' }), [meridian()], limits, formulas)).toMatchObject(rejected);
    expect(priceQuotes(request({ amount: '0' }), [meridian()], limits, formulas)).toMatchObject(rejected);
  });

  it('only the quote that is too small is left out', () => {
    // 3.01 SGD: 75.25 THB at 25 (fee 75.08), 72.24 at 24
    const offers = [offer('ORBIDES0', '24'), offer('MERISGS0', '25')];
    expect(price({ amount: '3.01' }, offers)).toMatchObject([
      { fxpId: 'MERISGS0', creditorAccountAmount: '0.17' },
    ]);
  });

  it('QUO-5: 12b knows no fees and leaves out zero amounts only', () => {
    expect(adjust({ amount: '3' }, [meridian()])).toMatchObject([
      {
        destinationInterbankSettlementAmount: '74.93',
        creditorAgentFee: '75.07',
        creditorAccountAmount: null,
      },
    ]);
    const tiny = priceQuotesWithoutFees(request({ amount: '0.01' }), [offer('A', '0.4')], limits, formulas);
    expect(tiny).toMatchObject(rejected);
  });

  it('nobody offers a rate: no quotes, which is not a refusal', () => {
    expect(price({}, [])).toEqual([]);
    expect(price({}, [offer('ORBIDES0', '25', { rates: [] })])).toEqual([]);
    expect(adjust({}, [])).toEqual([]);
  });

  it('a rate that its PSP improvement makes too long for any message is not offered', () => {
    const pspImprovement = { pspImprovementId: 'banyan', basisPoints: '10000' };
    expect(price({}, [offer('ORBIDES0', '99999999999', { pspImprovement })])).toEqual([]);
  });
});

describe('endpoint 12b (QUO-5)', () => {
  it('destination given: 25,000 THB cost 1,000 SGD, no fee added', () => {
    expect(adjust({ amountSide: 'destination', amount: '25000' }, [meridian()])).toMatchObject([
      {
        sourceInterbankSettlementAmount: '1000',
        destinationInterbankSettlementAmount: '25000',
        adjustedReason: null,
        creditorAgentFee: '100',
        creditorAccountAmount: '24900',
      },
    ]);
  });

  it.each([
    ['30', '1000', null],
    ['25', '1000', 'SourceMaximumExceeded'],
    ['30', '700', 'DestinationMaximumExceeded'],
    ['20', '700', 'SourceAndDestinationMaximumExceeded'],
  ])('maxima of %s and %s for 30 at 25: %s', (sourceMaximum, destinationMaximum, adjustedReason) => {
    const quotes = adjust({ amount: '30' }, [offer('A', '25')], { sourceMaximum, destinationMaximum });
    expect(quotes).toMatchObject([{ adjustedReason }]);
  });
});

describe('ranking (QUO-2)', () => {
  it('higher rate, then older rate, then FXP id', () => {
    const offers = [
      offer('B', '25', { createdDateTime: dayTwo }),
      offer('D', '25'),
      offer('A', '24.9'),
      offer('E', '25.1', { createdDateTime: dayTwo }),
      offer('C', '25'),
    ];
    expect(price({}, offers).map((quote) => quote.fxpId)).toEqual(['E', 'C', 'D', 'B', 'A']);
  });

  it('rates are compared as numbers: 100 is above 25', () => {
    expect(price({}, [offer('A', '25'), offer('B', '100')]).map((quote) => quote.fxpId)).toEqual(['B', 'A']);
  });
});
