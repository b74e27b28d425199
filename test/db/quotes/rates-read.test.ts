// Which rates a quote reads (FX-6): those that it leaves unread never win under QUO-3, whatever the amount, the maxima,
// the fees and the PSP's improvement.
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  reachWithFees,
  reachWithoutFees,
  priceQuotes,
  priceQuotesWithoutFees,
} from '../../../core/quotes/quote.ts';
import type { FxpOffer, QuoteRequest } from '../../../core/quotes/quote.ts';
import { connect, serviceLimits, type Db } from '../../../db/pool/connection.ts';
import { openQuoteStore, readOffers } from '../../../db/quotes/quotes.ts';
import { decimalText } from '../../core/money/arbitraries.ts';
import { inCorridor } from '../../core/quotes/pricing.ts';
import { testDatabase } from '../../harness/database.ts';

const database = await testDatabase();
let db: Db;
let tierId: string;
beforeAll(async () => {
  db = connect(database.url, { ...serviceLimits, applicationName: 'test' });
  const tier = await db
    .selectFrom('tier_improvements')
    .select('tier_improvement_id')
    .executeTakeFirstOrThrow();
  tierId = tier.tier_improvement_id;
});
afterAll(() => db.destroy());

const fxps = ['SG-MERI', 'HK-ZENI'] as const;
const pspId = 'SG-LOTU';
const corridor = {
  sourceCountry: 'SG',
  sourceCurrency: 'SGD',
  destinationCountry: 'TH',
  destinationCurrency: 'THB',
};

class Undone extends Error {}

/** Runs the work on rates of its own, and leaves the database as it was. */
async function withRates(drawn: Market, work: (trx: Db) => Promise<void>): Promise<void> {
  const run = db.transaction().execute(async (trx) => {
    await sql`update rates set expired_at = now() where source_country = 'SG' and destination_country = 'TH'
      and expired_at is null`.execute(trx);
    const rates = drawn.fxps.flatMap(({ rates: own }, place) =>
      own.map(({ threshold, exchangeRate }) => ({ fxp: fxps[place], threshold, exchangeRate })),
    );
    await sql`insert into rates (fxp_id, source_country, source_currency, destination_country, destination_currency,
        exchange_rate, threshold, tier_improvement_id)
      select r.fxp, 'SG', 'SGD', 'TH', 'THB', r."exchangeRate", r.threshold,
        case when r.threshold > 0 then ${tierId}::bigint end
      from json_to_recordset(${JSON.stringify(rates)}::json) r(fxp text, threshold numeric, "exchangeRate" numeric)`.execute(
      trx,
    );
    await sql`delete from psp_improvements`.execute(trx);
    for (const [place, { basisPoints }] of drawn.fxps.entries()) {
      if (basisPoints === null) continue;
      await sql`insert into psp_improvements (fxp_id, psp_id, improvement_basis_points)
        values (${fxps[place]}, ${pspId}, ${basisPoints}::numeric)`.execute(trx);
    }
    await work(trx);
    throw new Undone();
  });
  await expect(run).rejects.toBeInstanceOf(Undone);
}

/** Every active rate, whoever can win: as if each threshold were in reach. */
async function readAll(trx: Db): Promise<readonly FxpOffer[]> {
  const { rows } = await sql<FxpOffer>`
    select r.fxp_id as "fxpId", json_agg(json_build_object('rateId', r.rate_id, 'threshold', r.threshold::text,
        'tierImprovementId', r.tier_improvement_id::text, 'exchangeRate', r.exchange_rate::text,
        'createdDateTime', to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))) as rates,
      (select json_build_object('pspImprovementId', p.psp_improvement_id::text,
         'basisPoints', p.improvement_basis_points::text)
       from psp_improvements p where p.fxp_id = r.fxp_id and p.psp_id = ${pspId}) as "pspImprovement"
    from rates r where source_country = 'SG' and destination_country = 'TH' and expired_at is null
    group by r.fxp_id`.execute(trx);
  return rows;
}

// Few digits, so that amounts meet thresholds, products meet maxima, and rounding decides.
const few = (places: number) => fc.oneof(decimalText(places, 3_000n, 1n), decimalText(places, 300_000n, 1n));
const rate = fc.oneof(
  decimalText(1, 40n, 1n),
  decimalText(3, 9_000n, 1n),
  decimalText(10, 99_999_999_999n, 1n),
  decimalText(0, 99_999_999_999n, 40_000_000_000n), // a PSP improvement may make it too long for a message
);
const request = fc.record({
  amountSide: fc.constantFrom<'source' | 'destination'>('source', 'destination'),
  amount: few(0), // on the grid of every currency
  sourceMaximum: few(1),
  destinationMaximum: fc.oneof(few(1), few(1), fc.constant('9999999999999999')),
  sourceDecimalPlaces: fc.constantFrom(0, 2, 3),
  destinationDecimalPlaces: fc.constantFrom(0, 2, 3),
  nominalFee: fc.constantFrom('0', '0.01', '75'),
  percentageFee: fc.constantFrom('0', '0.1', '20'),
});
const market = fc.record({
  fxps: fc.array(
    fc.record({
      basisPoints: fc.option(fc.oneof(decimalText(1, 100_000n), fc.constantFrom('0', '5', '10000'))),
      rates: fc
        .tuple(
          rate,
          fc.uniqueArray(fc.record({ threshold: few(0), exchangeRate: rate }), {
            maxLength: 12,
            selector: ({ threshold }) => threshold,
          }),
        )
        .map(([base, tiers]) => [{ threshold: '0', exchangeRate: base }, ...tiers]),
    }),
    { minLength: 2, maxLength: 2 },
  ),
  requests: fc.array(request, { minLength: 60, maxLength: 60 }),
});
type Market = typeof market extends fc.Arbitrary<infer Drawn> ? Drawn : never;

const endpoints = [
  { reach: reachWithFees, price: priceQuotes },
  { reach: reachWithoutFees, price: priceQuotesWithoutFees },
] as const;

test('the rates are read by one plan for all calls, however few are asked for at once', async () => {
  const one = connect(database.url, { applicationName: 'test', maxConnections: 1 });
  try {
    const reach = { sourceAmount: '1000', destinationAmount: '25000' };
    for (let call = 0; call < 8; call += 1) await readOffers(one, [{ corridor, pspId, reach }]);
    const { rows } = await sql`
      select custom_plans, generic_plans from pg_prepared_statements where name = 'read_offers'`.execute(one);
    expect(rows).toEqual([{ custom_plans: '5', generic_plans: '3' }]); // Postgres first tries five plans for given values
  } finally {
    await one.destroy();
  }
});

test('a quote of the rates that can win is the quote of all rates, for any amounts, maxima, fees and PSP improvements (QUO-3, FX-6)', async () => {
  await fc.assert(
    fc.asyncProperty(market, (drawn) =>
      withRates(drawn, async (trx) => {
        const all = await readAll(trx);
        const asked = drawn.requests.flatMap(({ nominalFee, percentageFee, ...one }) =>
          endpoints.map(({ reach, price }) => {
            const [made]: [QuoteRequest, ...unknown[]] = inCorridor([
              one,
              all,
              one,
              {
                schemeFee: { nominalFeeAmount: '0', percentageFeeAsRatio: '0' },
                creditorAgentFee: { nominalFee, percentageFee },
              },
            ]);
            return { made, price, reach: reach(made) };
          }),
        );
        const read = await readOffers(
          trx,
          asked.map(({ reach }) => ({ corridor, pspId, reach })),
        );
        for (const [place, { made, price }] of asked.entries())
          expect(price(made, read[place] ?? [])).toEqual(price(made, all));
      }),
    ),
    { numRuns: 60 },
  );
});

test('of thousands of tiers, a quote reads the few that can win (QUO-10, FX-6)', async () => {
  const rates = Array.from({ length: 5_000 }, (_, index) => ({
    threshold: String(index * 10),
    exchangeRate: String(25 + index / 10_000),
  }));
  const drawn = { fxps: [{ basisPoints: '5', rates }], requests: [] };
  const limits = { sourceMaximum: '200000', destinationMaximum: '2000000' };
  const formulas = {
    schemeFee: { nominalFeeAmount: '0.50', percentageFeeAsRatio: '0.001' },
    creditorAgentFee: { nominalFee: '75.00', percentageFee: '0.1' },
  };
  await withRates(drawn, async (trx) => {
    const all = await readAll(trx);
    const { offers } = openQuoteStore(trx);
    for (const [amountSide, amount] of [
      ['source', '1'],
      ['source', '12345.67'],
      ['source', '199999.99'],
      ['destination', '25000'],
      ['destination', '1999999'],
    ] as const) {
      const asked = { amountSide, amount, sourceDecimalPlaces: 2, destinationDecimalPlaces: 2 };
      const [made] = inCorridor([asked, all, limits, formulas]);
      const [only, ...others] = await offers({ corridor, pspId, reach: reachWithFees(made) });
      expect(others).toEqual([]);
      expect(only?.rates.length).toBeLessThan(10);
      expect(priceQuotes(made, only === undefined ? [] : [only])).toEqual(priceQuotes(made, all));
    }
  });
});
