// What a corridor is made of, and why there is none: the order of refusals, FX providers that can settle (FX-3), and
// amounts.
import { describe, expect, test } from 'vitest';
import {
  corridorName,
  findCorridor,
  findPlace,
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

  test('is worked out once per snapshot, and holds nothing of whoever asked first', () => {
    const asked = { ...key, amount: '1000' };
    expect(findCorridor(data, asked)).toBe(findCorridor(data, key));
    expect(corridorIn(data).key).toEqual(key);
    expect(findCorridor({ ...data }, key)).not.toBe(findCorridor(data, key));
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
  test.each([
    [
      'the source country is told first',
      { sourceCountry: 'XX', destinationCountry: 'YY' },
      { code: 'unknown-country', countryCode: 'XX', side: 'source' },
    ],
    [
      'the destination country',
      { destinationCountry: 'YY' },
      { code: 'unknown-country', countryCode: 'YY', side: 'destination' },
    ],
    [
      'a currency',
      { destinationCurrency: 'XXX' },
      { code: 'unknown-currency', currencyCode: 'XXX', side: 'destination' },
    ],
    [
      'a currency of another country, with what would do instead',
      { sourceCurrency: 'THB' },
      {
        code: 'currency-not-of-country',
        countryCode: 'SG',
        currencyCode: 'THB',
        used: ['SGD'],
        side: 'source',
      },
    ],
    [
      'one country only',
      { destinationCountry: 'SG', destinationCurrency: 'SGD' },
      { code: 'unknown-corridor', lacks: 'two countries' },
    ],
  ])('%s', (_, changes, refusal) => {
    expect(findCorridor(data, { ...key, ...changes })).toMatchObject({ ok: false, refusal });
  });

  test('without an FX provider that is set up there are fees, but neither quotes nor rates', () => {
    const unrated = { ...data, fxpCorridors: new Set<string>() };
    expect(corridorIn(unrated).isRated).toBe(false);
    expect(findRatedCorridor(unrated, key)).toEqual({
      ok: false,
      refusal: { code: 'unknown-corridor', key, lacks: 'FX provider' },
    });
    expect(findRatedCorridor(data, key).ok).toBe(true);
  });

  test('a place is a country with a currency of its own', () => {
    expect(findPlace(data, { countryCode: 'TH', currencyCode: 'THB' }).ok).toBe(true);
    expect(findPlace(data, { countryCode: 'TH', currencyCode: 'SGD' })).toEqual({
      ok: false,
      refusal: { code: 'currency-not-of-country', countryCode: 'TH', currencyCode: 'SGD', used: ['THB'] },
    });
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

  test('fixes the source where both currencies are the same', () => {
    const same = { ...corridor, destination: corridor.source };
    expect(fixAmount(same, { amountCurrency: 'SGD', amount: '1' })).toMatchObject({
      value: { amountSide: 'source' },
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

  test.each([
    [
      'one currency',
      { ...key, destinationCurrency: 'SGD' },
      {},
      { code: 'same-currency-corridor', currency: 'SGD' },
    ],
    [
      'an unknown country',
      { ...key, sourceCountry: 'XX' },
      {},
      { code: 'corridor-not-set-up', end: { code: 'unknown-country', countryCode: 'XX', side: 'source' } },
    ],
    [
      'a corridor that is not set up',
      key,
      { fxpCorridors: new Set<string>() },
      { code: 'corridor-not-set-up' },
    ],
    [
      'no source SAP',
      key,
      { settlementAccess: new Map([access('TH')]) },
      { code: 'source-sap-not-validated' },
    ],
    [
      'no destination SAP',
      key,
      { settlementAccess: new Map([access('SG')]) },
      { code: 'destination-sap-not-validated' },
    ],
  ])('is refused with %s', (_, asked, changes, fault) => {
    expect(findRateFault({ ...data, ...changes }, 'SG-MERI', asked)).toEqual(fault);
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

  test.each<[string, Partial<AskedQuotes>, string]>([
    [
      'the corridor comes before the PSP',
      { sourceCountry: 'XX', psp: { type: 'BICFI', id: 'NOBODY00' } },
      'unknown-country',
    ],
    ['nobody', { psp: { type: 'BICFI', id: 'NOBODY00' }, amountCurrency: 'USD' }, 'unknown-psp'],
    ['another PSP', { psp: { type: 'BICFI', id: 'BANYSGS0' } }, 'not-own-institution'],
    ['a caller that is bound to nobody', { onlyFor: {} }, 'not-own-institution'],
    [
      'a PSP of the destination',
      { psp: { type: 'BICFI', id: 'LOTUTHS0' }, onlyFor: undefined },
      'psp-not-of-source-country',
    ],
    ['a SAP', { psp: { type: 'BICFI', id: 'HARBSGS0' }, onlyFor: undefined }, 'psp-not-of-source-country'],
    ['the amount comes last', { amountCurrency: 'USD' }, 'amount-currency-not-of-corridor'],
    ['too many decimals', { amount: '1.001' }, 'too-many-decimals'],
  ])('is refused: %s', (_, changes, code) => {
    expect(readQuoteRequest(data, { ...asked, ...changes })).toMatchObject({
      ok: false,
      refusal: { code },
    });
  });
});
