// The market rate of endpoint 17: the best base rate that PSPs are quoted now.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pause, resume } from '../../../db/deliveries/pauses.ts';
import type { QuoteSet, RateAccepted } from '../../../fixtures/bodies.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url);
});
afterAll(() => api.close());

describe('the market rate (FX-5)', () => {
  const idr = {
    sourceCountry: 'SG',
    sourceCurrency: 'SGD',
    destinationCountry: 'ID',
    destinationCurrency: 'IDR',
  };
  const post = async (fxp: string, rate: string) =>
    (await api.post<RateAccepted>('/api/v1/rates', { ...idr, rate }, fxp)).body;
  const bestQuoted = async () => {
    const { body } = await api.get<QuoteSet>(
      '/quotes/SG/SGD/ID/IDR/SGD/1?finInstIdType=BICFI&finInstId=LOTUSGS0',
    );
    return body.quotes[0]?.fxpfinInstId;
  };
  const act = { partyId: 'HK-ZENI', party: 'ZENIHKS0', by: 'operator', because: 'announced maintenance' };

  it('counts no rate of an FX provider that is paused, and tells it that its rate is not shown (FX-5, LIF-5)', async () => {
    expect(await post('ZENIHKS0', '99999')).toMatchObject({ marketRate: { exchangeRate: 99999 } });
    expect(await post('MERISGS0', '20000')).toMatchObject({ marketRate: { exchangeRate: 99999 } });
    expect(await post('ZENIHKS0', '99999')).not.toHaveProperty('shown');
    await pause(api.db, act);
    await expect.poll(bestQuoted).toBe('MERISGS0');
    expect(await post('MERISGS0', '20001')).toMatchObject({ marketRate: { exchangeRate: 20001 } });
    expect(await post('ZENIHKS0', '99998')).toMatchObject({
      status: 'accepted',
      quote: { exchangeRate: 99998 },
      marketRate: { exchangeRate: 20001 },
      shown: false,
      notShownBecause: expect.stringMatching(/paused/) as string,
    });
    await resume(api.db, act);
    await expect.poll(bestQuoted).toBe('ZENIHKS0');
    expect(await post('MERISGS0', '20002')).toMatchObject({ marketRate: { exchangeRate: 99998 } });
  });

  it('counts no rate of an FX provider that is no longer set up for the corridor (FX-3, FX-5)', async () => {
    const setUp = { fxp_id: 'HK-ZENI', ...columnsOf(idr) };
    await api.db
      .deleteFrom('fxp_corridors')
      .where((eb) => eb.and(setUp))
      .execute();
    await expect.poll(bestQuoted).toBe('MERISGS0');
    expect(await post('MERISGS0', '20004')).toMatchObject({ marketRate: { exchangeRate: 20004 } });
    await api.db.insertInto('fxp_corridors').values(setUp).execute();
    await expect.poll(bestQuoted).toBe('ZENIHKS0');
  });
});

describe('where an FX provider stands (FX-5, FX-9)', () => {
  const php = {
    sourceCountry: 'SG',
    sourceCurrency: 'SGD',
    destinationCountry: 'PH',
    destinationCurrency: 'PHP',
  };
  const standing = async (fxp: string) => {
    const { body, text } = await api.get<{ standings: readonly unknown[] }>(
      '/api/v1/standings?sourceCountry=SG&destinationCountry=PH',
      fxp,
    );
    expect(text).not.toMatch(fxp === 'MERISGS0' ? /ZENI/ : /MERI/);
    return body.standings;
  };

  it('shows its base rate beside the best of the market, and not whose that is', async () => {
    await api.post('/api/v1/rates', { ...php, rate: '99000.5' }, 'ZENIHKS0');
    await api.post('/api/v1/rates', { ...php, rate: '18000' }, 'MERISGS0');
    expect(await standing('MERISGS0')).toEqual([
      { ...php, exchangeRate: 18000, marketRate: 99000.5, isBest: false },
    ]);
    expect(await standing('ZENIHKS0')).toEqual([
      { ...php, exchangeRate: 99000.5, marketRate: 99000.5, isBest: true },
    ]);
  });

  it('says that a rate that PSPs are not quoted is not the best', async () => {
    await pause(api.db, { partyId: 'HK-ZENI', party: 'ZENIHKS0', by: 'operator', because: 'maintenance' });
    await expect
      .poll(() => standing('ZENIHKS0'))
      .toEqual([{ ...php, exchangeRate: 99000.5, marketRate: 18000, isBest: false }]);
  });
});

const columnsOf = (
  key: Record<'sourceCountry' | 'sourceCurrency' | 'destinationCountry' | 'destinationCurrency', string>,
) => ({
  source_country: key.sourceCountry,
  source_currency: key.sourceCurrency,
  destination_country: key.destinationCountry,
  destination_currency: key.destinationCurrency,
});
