// How many tiers an FX provider may have (FX-6).
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OrProblem, Rates, TierImprovement } from '../../../fixtures/bodies.ts';
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

describe('the limit of tiers (FX-6)', () => {
  const tierOf = (unitCurrency: string, threshold: number, improvementBasisPoints = '1') => ({
    unitCurrency,
    threshold: String(threshold),
    improvementBasisPoints,
  });
  const postOnce = (body: object, via: typeof api) =>
    via.post<OrProblem<TierImprovement>>('/api/v1/tier_improvements', body, 'ORBIDES0');
  /** Posts again what a slow machine has no capacity for. */
  const postTier = async (body: object, via = api) => {
    let answer = await postOnce(body, via);
    while (answer.status === 503) answer = await postOnce(body, via);
    return answer;
  };

  it('takes 100 tiers of an FX provider and currency, also when more are posted at once, in two processes; beyond, one may be changed, or ended by 0 basis points for another (FX-6)', async () => {
    expect((await postTier(tierOf('INR', 100_000))).status).toBe(200);
    const answers = await Promise.all(
      Array.from({ length: 110 }, (_, index) =>
        postTier(tierOf('INR', 100_001 + index), index % 2 === 0 ? api : other),
      ),
    );
    const taken = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status !== 200);
    expect([taken.length, refused.length]).toEqual([99, 11]);
    expect(new Set(refused.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
      new Set(['422 too-many-tiers']),
    );
    expect((await postTier(tierOf('INR', 100_000, '3'))).status).toBe(200);
    expect((await postTier(tierOf('JPY', 100_001))).status).toBe(200); // of another currency
    expect((await postTier(tierOf('INR', 100_000, '0'))).status).toBe(200);
    expect((await postTier(tierOf('INR', 300_001))).status).toBe(200);
    const { body } = await postTier(tierOf('INR', 100_000, '3'));
    expect([body.code, body.detail]).toEqual(['too-many-tiers', problemTexts['too-many-tiers'].told]);
    const { rates: own } = (
      await api.get<Rates>('/api/v1/rates?sourceCurrency=INR&destinationCurrency=THB', 'ORBIDES0')
    ).body;
    expect(own.filter((rate) => rate.threshold > 0)).toHaveLength(100);
    const { rows: alerts } = await sql`select detail from audit_events where kind = 'party.at-limit'`.execute(
      api.db,
    );
    expect(alerts, 'of eleven that were refused at once (OVL-2)').toEqual([{ detail: { limit: 'tiers' } }]);
  });

  it('keeps at most 1,000 tiers of an FX provider and currency on record, also of 0 basis points (FX-6, OVL-2)', async () => {
    await sql`
      insert into tier_improvements (fxp_id, unit_currency, threshold, improvement_basis_points, updated_at)
      select 'DE-ORBI', 'PHP', n, 0, clock_timestamp() from generate_series(1, 999) n`.execute(api.db);
    expect((await postTier(tierOf('PHP', 100_000, '0'))).status).toBe(200);
    expect((await postTier(tierOf('PHP', 100_001, '0'))).body.code).toBe('too-many-tiers');
    expect((await postTier(tierOf('PHP', 1, '2'))).status).toBe(200);
  });
});
