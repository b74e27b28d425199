// Endpoints 17 to 19 and the lists of rates: a posted rate shows at once, once, and only to those who may see it.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { improveRateText } from '../../../core/quotes/rate.ts';
import type { OrProblem, QuoteSet, RateAccepted, Rates, TierImprovement } from '../../../fixtures/bodies.ts';
import { testDatabase } from '../../harness/database.ts';
import { problemTexts } from '../../harness/problem-texts.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';

const database = await testDatabase();
let api: RunningApi;
let other: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url);
  other = await startApi(database.url);
});
afterAll(async () => {
  await api.close();
  await other.close();
});

const corridor = {
  sourceCountry: 'SG',
  sourceCurrency: 'SGD',
  destinationCountry: 'TH',
  destinationCurrency: 'THB',
};
const query = new URLSearchParams(corridor).toString();
const myr = { ...corridor, destinationCountry: 'MY', destinationCurrency: 'MYR' };

describe('posting a rate (endpoint 17)', () => {
  it('answers the new rate with its tiers, and the market’s best base rate without a name (FX-5)', async () => {
    const { status, body } = await api.post<RateAccepted>('/api/v1/rates', { ...corridor, rate: '24.9' });
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['status', 'quote', 'marketRate']);
    const { rateId, createdDateTime, tierRates, ...quote } = body.quote;
    expect(quote).toEqual({ ...corridor, exchangeRate: 24.9, threshold: 0 });
    expect(rateId).toMatch(/^[0-9a-f-]{36}$/);
    expect(createdDateTime).toMatch(/Z$/);
    expect(
      tierRates.map(({ threshold, exchangeRate }: { threshold: number; exchangeRate: number }) => [
        threshold,
        exchangeRate,
      ]),
    ).toEqual([
      [1000, 24.9249],
      [10000, 24.96225],
      [50000, 25.0245],
    ]);
    expect(body.marketRate).toEqual({ exchangeRate: 24.98002498 }); // Zenith's, who is not named
  });

  it('shows at once to PSPs, and replaces the FX provider’s earlier rates only (FX-1, FX-4)', async () => {
    const posted = (await api.post<RateAccepted>('/rates/', { ...corridor, rate: '26.5' })).body;
    const { body } = await other.get<QuoteSet>(
      '/quotes/SG/SGD/TH/THB/SGD/500?finInstIdType=BICFI&finInstId=LOTUSGS0',
    );
    expect(body.quotes[0]).toMatchObject({ fxpfinInstId: 'MERISGS0', exchangeRate: 26.5 });
    expect(body.quotes).toHaveLength(4);
    const listed = (await other.get<Rates>(`/rates/?${query}`)).body.rates;
    const own = listed.filter((rate) => rate.fxpfinInstId === 'MERISGS0');
    expect(own.map((rate) => rate.rateId).sort()).toEqual(
      [posted.quote.rateId, ...posted.quote.tierRates.map((tier) => tier.rateId)].sort(),
    );
  });

  it('never deletes a rate: the replaced ones stay, expired (FX-4)', async () => {
    const count = async () =>
      Number(
        (
          await api.db
            .selectFrom('rates')
            .select(({ fn }) => fn.countAll<string>().as('n'))
            .executeTakeFirstOrThrow()
        ).n,
      );
    const before = await count();
    await api.post('/rates', { ...corridor, rate: '25.1' });
    expect(await count()).toBe(before + 4);
  });

  it.each([
    [
      { ...corridor, destinationCountry: 'DE', destinationCurrency: 'SGD' },
      'MERISGS0',
      'same-currency-corridor',
    ],
    [
      {
        ...corridor,
        sourceCountry: 'IN',
        sourceCurrency: 'INR',
        destinationCountry: 'ID',
        destinationCurrency: 'IDR',
      },
      'ZENIHKS0',
      'corridor-not-set-up',
    ],
    [{ ...corridor, destinationCurrency: 'MYR' }, 'MERISGS0', 'corridor-not-set-up'],
    [
      { ...corridor, destinationCountry: 'PH', destinationCurrency: 'PHP' },
      'POLAJPS0',
      'destination-sap-not-validated',
    ],
    [{ ...corridor, sourceCountry: 'PH', sourceCurrency: 'PHP' }, 'POLAJPS0', 'source-sap-not-validated'],
  ])('refuses %o of %s: 422 %s (FX-2, FX-3)', async (where, fxp, code) => {
    const { status, body } = await api.post('/rates/', { ...where, rate: '1.5' }, fxp);
    expect([status, body.code]).toEqual([422, code]);
  });

  it.each([
    [{ rate: 25 }, '/rate'],
    [{ rate: '0' }, '/rate'],
    [{ rate: '1.12345678901' }, '/rate'],
    [{ rate: undefined }, '/rate'],
    [{ rate: '25', sourceCountry: 'sg' }, '/sourceCountry'],
    [{ rate: '25', fxpId: 'ORBIDES0' }, '/fxpId'],
  ])('refuses %o with a pointer to %s: 400', async (change, pointer) => {
    const { status, body } = await api.post('/rates/', { ...corridor, ...change });
    expect(status).toBe(400);
    expect(body.errors?.map((fault) => fault.pointer)).toEqual([pointer]);
  });

  it('refuses other content types, compressed and too large bodies', async () => {
    const body = JSON.stringify({ ...corridor, rate: '25' });
    expect((await api.post('/rates/', body, 'MERISGS0', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await api.post('/rates/', body, 'MERISGS0', { 'content-encoding': 'gzip' })).status).toBe(415);
    expect((await api.post('/rates/', `${body}${' '.repeat(70_000)}`)).status).toBe(413);
    const latin1 = new Uint8Array([...Buffer.from('{"rate":"'), 0xe9, ...Buffer.from('"}')]);
    const headers = {
      authorization: `Bearer ${await api.token('MERISGS0')}`,
      'content-type': 'application/json',
    };
    expect((await api.request('/rates/', { method: 'POST', headers, body: latin1 })).status).toBe(400);
  });

  it('leaves exactly one active set when many are posted at once, in two processes (FX-4)', async () => {
    const rates = Array.from({ length: 24 }, (_, index) => `3.${String(index + 10)}`);
    const posts = rates.map((rate, index) =>
      (index % 2 === 0 ? api : other).post('/rates/', { ...myr, rate }),
    );
    const tiers = ['11', '12', '13'].map((improvementBasisPoints) =>
      api.post('/api/v1/tier_improvements', {
        unitCurrency: 'SGD',
        threshold: '1000',
        improvementBasisPoints,
      }),
    );
    for (const answer of await Promise.all([...posts, ...tiers])) expect(answer.status).toBe(200);
    const { rates: own } = (
      await api.get<Rates>(`/api/v1/rates?${new URLSearchParams(myr).toString()}`, 'MERISGS0')
    ).body;
    const byThreshold = new Map<number, number>(
      own.map((rate: { threshold: number; exchangeRate: number }) => [rate.threshold, rate.exchangeRate]),
    );
    expect(own).toHaveLength(4);
    expect([...byThreshold.keys()].sort((a, b) => a - b)).toEqual([0, 1000, 10_000, 50_000]);
    const base = String(byThreshold.get(0));
    const points = await api.db
      .selectFrom('tier_improvements')
      .select(['threshold', 'improvement_basis_points'])
      .where('fxp_id', '=', 'SG-MERI')
      .where('unit_currency', '=', 'SGD')
      .execute();
    for (const { threshold, improvement_basis_points: basisPoints } of points) {
      expect(String(byThreshold.get(Number(threshold)))).toBe(improveRateText(base, basisPoints));
    }
    await api.post('/api/v1/tier_improvements', {
      unitCurrency: 'SGD',
      threshold: '1000',
      improvementBasisPoints: '10',
    });
  });
});

describe('tier improvements (endpoint 18)', () => {
  it('registers, answers the stored record, and renews the active rates at once (FX-6)', async () => {
    const tier = { unitCurrency: 'MYR', threshold: '500.50', improvementBasisPoints: '7.5' };
    const { status, body } = await api.post<TierImprovement>('/improvements/tiers/', tier, 'ORBIDES0');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      fxpfinInstIdType: 'BICFI',
      fxpfinInstId: 'ORBIDES0',
      unitCurrency: 'MYR',
      threshold: '500.5',
      improvementBasisPoints: '7.5',
    });
    const rates = async () =>
      (await api.get<Rates>('/api/v1/rates?sourceCurrency=MYR&destinationCurrency=THB', 'ORBIDES0')).body
        .rates;
    const [improved, base] = await rates();
    expect(improved?.threshold).toBe(500.5);
    expect(String(improved?.exchangeRate)).toBe(improveRateText(String(base?.exchangeRate), '7.5'));
    const again = await api.post<TierImprovement>(
      '/improvements/tiers',
      { ...tier, threshold: '500.5', improvementBasisPoints: '0' },
      'ORBIDES0',
    );
    expect(again.body.tierImprovementId).toBe(body.tierImprovementId);
    expect((await rates()).map((rate) => rate.threshold)).toEqual([0]);
  });

  it.each([
    [{ threshold: '0' }, 400],
    [{ threshold: 1000 }, 400],
    [{ improvementBasisPoints: '10001' }, 400],
    [{ unitCurrency: 'XXX' }, 422],
    [{ threshold: '1.001' }, 422],
  ])('refuses %o: %i', async (change, status) => {
    const tier = { unitCurrency: 'SGD', threshold: '1000', improvementBasisPoints: '10', ...change };
    expect((await api.post('/improvements/tiers/', tier)).status).toBe(status);
  });
});

describe('PSP improvements (endpoint 19)', () => {
  it('registers, answers the stored record, and is in the very next quote (FX-7)', async () => {
    const improvement = { pspIdType: 'internalId', pspId: 'SG-LOTU', improvementBasisPoints: '100' };
    const { status, body } = await api.post('/improvements/psps/', improvement, 'ZENIHKS0');
    expect(status).toBe(200);
    expect(body).toMatchObject({ fxpfinInstId: 'ZENIHKS0', ...improvement });
    const { body: set } = await other.get<QuoteSet>(
      '/quotes/SG/SGD/TH/THB/SGD/1000?finInstIdType=BICFI&finInstId=LOTUSGS0',
    );
    const zenith = set.quotes.find((quote) => quote.fxpfinInstId === 'ZENIHKS0');
    expect(String(zenith?.exchangeRate)).toBe(improveRateText('24.98002498', '100'));
  });

  it.each([
    [{ pspId: 'NOBODY00' }, 422],
    [{ pspId: 'HARBSGS0' }, 422],
    [{ pspIdType: 'BIC' }, 400],
    [{ improvementBasisPoints: 5 }, 400],
  ])('refuses %o: %i', async (change, status) => {
    const improvement = { pspIdType: 'BICFI', pspId: 'LOTUSGS0', improvementBasisPoints: '5', ...change };
    expect((await api.post('/api/v1/psp_improvements', improvement)).status).toBe(status);
  });
});

describe('who may see rates (FX-9)', () => {
  it('lists base and tier rates of all FX providers to PSPs and operators, best first, flat', async () => {
    for (const client of ['LOTUSGS0', 'operator']) {
      const { body } = await api.get<Rates>(`/rates/?${query}`, client);
      const values = body.rates.map((rate) => rate.exchangeRate);
      expect(values).toEqual([...values].sort((a, b) => b - a));
      expect(new Set(body.rates.map((rate) => rate.fxpfinInstId)).size).toBe(4);
      expect(Object.keys(body.rates[0]!)).toEqual([
        'rateId', 'fxpfinInstIdType', 'fxpfinInstId', 'sourceCountry', 'sourceCurrency', 'destinationCountry',
        'destinationCurrency', 'exchangeRate', 'threshold', 'createdDateTime',
      ]); // prettier-ignore
    }
  });

  it('refuses an FX provider there, and shows it its own rates only', async () => {
    expect((await api.get(`/rates/?${query}`, 'MERISGS0')).status).toBe(403);
    const { body } = await api.get<Rates>('/api/v1/rates', 'MERISGS0');
    expect(body.rates.length).toBeGreaterThan(100);
    expect(new Set(body.rates.map((rate) => rate.fxpfinInstId))).toEqual(new Set(['MERISGS0']));
    expect((await api.get('/api/v1/rates', 'LOTUSGS0')).status).toBe(403);
  });

  it('wants the whole corridor, and knows it (REF-3)', async () => {
    expect((await api.get('/rates/')).body.errors).toHaveLength(4);
    expect((await api.get(`/rates/?${query.replace('TH&', 'XX&')}`)).status).toBe(404);
    const inr = 'sourceCountry=SG&sourceCurrency=SGD&destinationCountry=SG&destinationCurrency=SGD';
    expect((await api.get(`/rates/?${inr}`)).body.code).toBe('unknown-corridor');
  });
});

describe('Idempotency-Key (FX-10)', () => {
  /** Statements that wait for a lock. */
  const waiting = async () => {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(api.db);
    return rows.length;
  };
  const keyed = (key: string, body: unknown, via = api, path = '/rates/', client = 'MERISGS0') =>
    via.post<OrProblem<RateAccepted>>(path, body, client, { 'idempotency-key': key });

  it('gives the same answer to the same key and body, by either path and process, and does the work once', async () => {
    const key = randomUUID();
    const first = await keyed(key, { ...corridor, rate: '24.7' });
    expect(first.status).toBe(200);
    expect((await keyed(key, { ...corridor, rate: '24.7' }, other)).text).toBe(first.text);
    expect((await keyed(key, { ...corridor, rate: '24.7' }, api, '/api/v1/rates')).text).toBe(first.text);
  });

  it('refuses the key for another body or another route: 422', async () => {
    const key = randomUUID();
    await keyed(key, { ...corridor, rate: '24.7' });
    expect((await keyed(key, { ...corridor, rate: '24.8' })).body.code).toBe('idempotency-key-reused');
    const psp = { pspIdType: 'BICFI', pspId: 'BANYSGS0', improvementBasisPoints: '5' };
    expect((await keyed(key, psp, api, '/improvements/psps/')).body.code).toBe('idempotency-key-reused');
  });

  it('keeps keys of different clients apart, and remembers refusals', async () => {
    const key = randomUUID();
    const [mine, theirs] = [
      await keyed(key, { ...corridor, rate: '24.6' }),
      await keyed(key, { ...corridor, rate: '24.6' }, api, '/rates/', 'ORBIDES0'),
    ];
    expect(mine.body.quote.rateId).not.toBe(theirs.body.quote.rateId);
    const refused = randomUUID();
    const bad = { ...corridor, destinationCountry: 'DE', destinationCurrency: 'SGD', rate: '1.5' };
    const first = await keyed(refused, bad);
    expect(first.status).toBe(422);
    const second = await keyed(refused, bad);
    expect([second.status, second.text, second.headers.get('content-type')]).toEqual([
      422,
      first.text,
      'application/problem+json',
    ]);
  });

  it('answers 409 while the first still runs, and gives its answer once it has ended', async () => {
    const key = randomUUID();
    const body = { ...corridor, rate: '24.5' };
    const first = await api.db.transaction().execute(async (trx) => {
      await sql`lock table rates in access exclusive mode`.execute(trx); // the first writes it
      const under = keyed(key, body);
      await expect.poll(waiting).toBe(1);
      const second = await keyed(key, body, other);
      expect([second.status, second.body.code, second.body.detail]).toEqual([
        409,
        'request-in-progress',
        problemTexts['request-in-progress'].told,
      ]);
      return { under };
    });
    const accepted = await first.under;
    expect(accepted.status).toBe(200);
    expect((await keyed(key, body, other)).text).toBe(accepted.text);
  });

  it('does the work of many at once only once', async () => {
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        keyed(key, { ...corridor, rate: '24.5' }, index % 2 === 0 ? api : other),
      ),
    );
    for (const { status } of answers) expect([200, 409]).toContain(status);
    const accepted = answers.filter(({ status }) => status === 200);
    expect(accepted.length).toBeGreaterThan(0);
    expect(new Set(accepted.map(({ body }) => body.quote.rateId)).size).toBe(1);
    expect((await keyed(key, { ...corridor, rate: '24.5' })).text).toBe(accepted[0]?.text);
  });

  it('forgets a key after 24 hours', async () => {
    const key = randomUUID();
    const first = await keyed(key, { ...corridor, rate: '24.4' });
    await api.db
      .updateTable('idempotency_keys')
      .set({ created_at: new Date(Date.now() - 24 * 3_600_000 - 1_000) })
      .where('idempotency_key', '=', key)
      .execute();
    const second = await keyed(key, { ...corridor, rate: '24.4' });
    expect(second.body.quote.rateId).not.toBe(first.body.quote.rateId);
  });
});
