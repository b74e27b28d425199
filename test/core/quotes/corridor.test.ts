// A corridor: its two ends, the FX providers that can settle (FX-3), and amounts.
import { describe, expect, test } from 'vitest';
import {
  corridorName,
  findCorridor,
  findRateFault,
  findRatedCorridor,
  fixAmount,
  type Corridor,
  type CorridorKey,
} from '../../../core/quotes/corridor.ts';
import { readQuoteRequest, type AskedQuotes } from '../../../core/quotes/quote-request.ts';
import { keyOf, type ReferenceData } from '../../../core/scheme/reference.ts';
import { institution, system, world } from '../scheme/small-world.ts';

const key: CorridorKey = {
  sourceCountry: 'SG',
  sourceCurrency: 'SGD',
  destinationCountry: 'TH',
  destinationCurrency: 'THB',
};
const account = (countryCode: string, currencyCode: string) => ({
  ownerId: 'SG-MERI',
  sapId: `${countryCode}-HARB`,
  countryCode,
  currencyCode,
  accountId: `MERI-${countryCode}-${currencyCode}`,
});
const access = (countryCode: string, validated = true) =>
  [
    keyOf('SG-MERI', countryCode),
    { fxpId: 'SG-MERI', countryCode, sapId: `${countryCode}-HARB`, validated },
  ] as const;

/** The small world, in which Meridian may rate and settle SG to TH. */
const data: ReferenceData = {
  ...world,
  institutions: new Map([
    ...world.institutions,
    ['SG-MERI', institution({ institutionId: 'SG-MERI', roles: ['fxp'] })],
  ]),
  accountsOfOwner: new Map([
    [keyOf('SG-MERI', 'SG', 'SGD'), [account('SG', 'SGD')]],
    [keyOf('SG-MERI', 'TH', 'THB'), [account('TH', 'THB')]],
  ]),
  settlementAccess: new Map([access('SG'), access('TH')]),
  fxpCorridors: new Set([keyOf('SG-MERI', corridorName(key))]),
  schemeFeeFormulas: new Map(
    [keyOf('SG', 'SGD'), keyOf('TH', 'THB')].map((place) => [
      place,
      { nominalFeeAmount: '0.50', percentageFeeAsRatio: '0.001' },
    ]),
  ),
};

function corridorIn(world: ReferenceData): Corridor {
  const found = findCorridor(world, key);
  if (!found.ok) throw new Error(`unexpected ${found.refusal.code}`);
  return found.value;
}

describe('a corridor', () => {
  test('has its two payment systems, both formulas, and the FX providers with agent and account on both sides', () => {
    const corridor = corridorIn(data);
    expect(corridor).toMatchObject({
      key,
      source: { countryCode: 'SG', clearingSystem: { clearingSystemId: 'SGDFAST', maxAmount: '200000' } },
      destination: { currency: { currencyCode: 'THB' }, clearingSystem: { clearingSystemId: 'THBPPAY' } },
      schemeFee: { nominalFeeAmount: '0.50' },
      creditorAgentFee: { nominalFee: '75.00' },
      isRated: true,
    });
    expect([...corridor.fxps.keys()]).toEqual(['SG-MERI']);
    expect(corridor.fxps.get('SG-MERI')).toMatchObject({
      idType: 'BICFI',
      id: 'MERISGS0',
      source: { sapBic: 'HARBSGS0', membership: { memberId: 'HARBSG01' }, accountId: 'MERI-SG-SGD' },
      destination: { sapBic: 'HARBTHS0', membership: { memberId: 'HARBTH01' }, accountId: 'MERI-TH-THB' },
    });
  });

  test('of several payment systems in one currency, the one with the lowest maximum counts', () => {
    const second = system({ clearingSystemId: 'SGDLATE', currencyCode: 'SGD', maxAmount: '9000' });
    const clearingSystems = new Map([...data.clearingSystems, [second.clearingSystemId, second]]);
    expect(corridorIn({ ...data, clearingSystems }).source.clearingSystem).toBe(second);
  });

  test.each([
    ['a SAP that is not validated', { settlementAccess: new Map([access('SG'), access('TH', false)]) }],
    ['no SAP', { settlementAccess: new Map([access('SG')]) }],
    ['no account there', { accountsOfOwner: new Map() }],
    [
      'a SAP that no message could name',
      {
        institutions: new Map([
          ...data.institutions,
          ['TH-HARB', institution({ institutionId: 'TH-HARB', roles: ['sap'], bics: [] })],
        ]),
      },
    ],
  ])('FX-3: an FX provider with %s cannot settle, but keeps the corridor rated', (_, changes) => {
    const corridor = corridorIn({ ...data, ...changes });
    expect(corridor.fxps.size).toBe(0);
    expect(corridor.isRated).toBe(true);
  });
});

describe('no corridor (REF-3)', () => {
  test('without an FX provider that is set up there are fees, but neither quotes nor rates', () => {
    const unrated = { ...data, fxpCorridors: new Set<string>() };
    expect(corridorIn(unrated).isRated).toBe(false);
    expect(findRatedCorridor(unrated, key)).toEqual({
      ok: false,
      refusal: { code: 'unknown-corridor', key, lacks: 'FX provider' },
    });
    expect(findRatedCorridor(data, key).ok).toBe(true);
  });
});

describe('an amount', () => {
  const corridor = corridorIn(data);

  test.each([
    ['SGD', 'source'],
    ['THB', 'destination'],
  ])('in %s fixes the %s side', (amountCurrency, amountSide) => {
    expect(fixAmount(corridor, { amountCurrency, amount: '10.00' })).toEqual({
      ok: true,
      value: { amountSide, amount: '10.00' },
    });
  });

  test('is refused in a third currency, or with more decimals than its currency has (MON-2)', () => {
    expect(fixAmount(corridor, { amountCurrency: 'USD', amount: '1' })).toEqual({
      ok: false,
      refusal: { code: 'amount-currency-not-of-corridor', currency: 'USD', key },
    });
    expect(fixAmount(corridor, { amountCurrency: 'THB', amount: '1.001' })).toMatchObject({
      ok: false,
      refusal: { code: 'too-many-decimals', amount: '1.001', currency: { currencyCode: 'THB' } },
    });
  });
});

describe('whoever posts a rate (FX-2, FX-3)', () => {
  test('may, where it is set up and can settle both sides', () => {
    expect(findRateFault(data, 'SG-MERI', key)).toBeUndefined();
  });
});

describe('a request for quotes (QUO-1)', () => {
  const asked: AskedQuotes = {
    ...key,
    amountCurrency: 'SGD',
    amount: '1000',
    psp: { type: 'BICFI', id: 'LOTUSGS0' },
    onlyFor: { institutionId: 'SG-LOTU' },
  };

  test('is understood: corridor, PSP, amount and side', () => {
    expect(readQuoteRequest(data, asked)).toEqual({
      ok: true,
      value: { corridor: corridorIn(data), pspId: 'SG-LOTU', amountSide: 'source', amount: '1000' },
    });
  });

  test('may be for any PSP of the source country when nothing binds the caller to one', () => {
    const psp = { type: 'BICFI', id: 'BANYSGS0' } as const;
    expect(readQuoteRequest(data, { ...asked, psp, onlyFor: undefined }).ok).toBe(true);
  });
});
