// Rates in the database. An FX provider posts all rates of a corridor at once, with one rate per tier; rates are never
// deleted. A change holds the FX provider's lock until commit, so that each corridor has exactly one active set, even
// if several changes come at once.
import { sql } from 'kysely';
import { assert } from '../../core/assert.ts';
import type { CorridorKey } from '../../core/quotes/corridor.ts';
import { exact, plainDecimal } from '../../core/money/money.ts';
import { improveRateText } from '../../core/quotes/rate.ts';
import type { Db } from '../pool/connection.ts';

/** A stored rate. Decimals have no trailing zeros. */
export interface StoredRate extends CorridorKey {
  readonly rateId: string;
  readonly fxpId: string;
  readonly exchangeRate: string;
  /** '0' for the base rate. */
  readonly threshold: string;
  readonly createdAt: Date;
}

/** Timestamp of a change: the database clock, read under the lock, so that a later change has a later time. */
type Moment = string;

/**
 * Takes the FX provider's lock until the transaction ends.
 * @returns the timestamp for the change
 */
export async function lockRates(trx: Db, fxpId: string): Promise<Moment> {
  await sql`select pg_advisory_xact_lock(hashtextextended('rates of ' || ${fxpId}, 0))`.execute(trx);
  const { rows } = await sql<{ moment: Moment }>`select clock_timestamp()::text as moment`.execute(trx);
  const [row] = rows;
  assert(row !== undefined, 'the clock answers');
  return row.moment;
}

export interface NewRate extends CorridorKey {
  readonly fxpId: string;
  readonly rate: string;
}

/**
 * FX-4, in the caller's transaction: expires the active rates of the FX provider for the corridor, then stores the base
 * rate and one improved rate per tier of the source currency. Skips a tier of 0 basis points, or with a rate that does
 * not fit into a message.
 * @returns the stored rates, base first, then by threshold
 */
export async function replaceRates(trx: Db, rate: NewRate): Promise<StoredRate[]> {
  const moment = await lockRates(trx, rate.fxpId);
  await trx
    .updateTable('rates')
    .set({ expired_at: sql<Date>`${moment}::timestamptz` })
    .where('fxp_id', '=', rate.fxpId) // seam: ended-rates
    .where('source_country', '=', rate.sourceCountry)
    .where('source_currency', '=', rate.sourceCurrency)
    .where('destination_country', '=', rate.destinationCountry)
    .where('destination_currency', '=', rate.destinationCurrency)
    .where('expired_at', 'is', null) // index rates_active
    .execute();
  const tiers = await trx
    .selectFrom('tier_improvements')
    .select(['tier_improvement_id', 'threshold', 'improvement_basis_points'])
    .where('fxp_id', '=', rate.fxpId)
    .where('unit_currency', '=', rate.sourceCurrency)
    .where('improvement_basis_points', '>', '0')
    .orderBy('threshold')
    .execute();
  const improved = tiers.flatMap((tier) => {
    const exchangeRate = improveRateText(rate.rate, tier.improvement_basis_points);
    return exchangeRate === undefined
      ? []
      : [{ exchangeRate, threshold: tier.threshold, tierImprovementId: tier.tier_improvement_id }];
  });
  const base = { exchangeRate: rate.rate, threshold: '0', tierImprovementId: null };
  return insertRates(
    trx,
    [base, ...improved].map((entry) => ({ ...rate, ...entry })),
    moment,
  );
}

export interface Tier {
  readonly fxpId: string;
  readonly unitCurrency: string;
  readonly tierImprovementId: string;
  readonly threshold: string;
  readonly improvementBasisPoints: string;
}

/**
 * FX-6, in the transaction that registers the tier. Recalculates the tier's rate for every active base rate of the
 * currency. A tier of 0 basis points has no rates.
 */
export async function rematerialiseTier(trx: Db, tier: Tier, moment: Moment): Promise<void> {
  await trx
    .updateTable('rates')
    .set({ expired_at: sql<Date>`${moment}::timestamptz` })
    .where('fxp_id', '=', tier.fxpId)
    .where('source_currency', '=', tier.unitCurrency)
    .where('tier_improvement_id', '=', tier.tierImprovementId)
    .where('expired_at', 'is', null) // index rates_active_by_fxp
    .execute();
  if (exact(tier.improvementBasisPoints).isZero()) return;
  const bases = await trx
    .selectFrom('rates')
    .select(['source_country', 'destination_country', 'destination_currency', 'exchange_rate'])
    .where('fxp_id', '=', tier.fxpId)
    .where('source_currency', '=', tier.unitCurrency)
    .where('threshold', '=', '0')
    .where('expired_at', 'is', null) // index rates_active_by_fxp
    .execute();
  const entries = bases.flatMap((base) => {
    const exchangeRate = improveRateText(base.exchange_rate, tier.improvementBasisPoints);
    return exchangeRate === undefined
      ? []
      : [
          {
            fxpId: tier.fxpId,
            sourceCountry: base.source_country,
            sourceCurrency: tier.unitCurrency,
            destinationCountry: base.destination_country,
            destinationCurrency: base.destination_currency,
            exchangeRate,
            threshold: tier.threshold,
            tierImprovementId: tier.tierImprovementId,
          },
        ];
  });
  await insertRates(trx, entries, moment);
}

interface RateEntry extends CorridorKey {
  readonly fxpId: string;
  readonly exchangeRate: string;
  readonly threshold: string;
  readonly tierImprovementId: string | null;
}

/** Passes one array per column, because a statement has at most 65,535 parameters and there may be more values. */
async function insertRates(trx: Db, entries: readonly RateEntry[], moment: Moment): Promise<StoredRate[]> {
  if (entries.length === 0) return [];
  const column = (value: (entry: RateEntry) => string | null) => entries.map(value);
  const { rows } = await sql<RateRow>`
    insert into rates (fxp_id, source_country, source_currency, destination_country, destination_currency,
      exchange_rate, threshold, tier_improvement_id, created_at)
    select e.*, ${moment}::timestamptz
    from unnest(${column((entry) => entry.fxpId)}::text[],
      ${column((entry) => entry.sourceCountry)}::text[], ${column((entry) => entry.sourceCurrency)}::text[],
      ${column((entry) => entry.destinationCountry)}::text[], ${column((entry) => entry.destinationCurrency)}::text[],
      ${column((entry) => entry.exchangeRate)}::numeric[], ${column((entry) => entry.threshold)}::numeric[],
      ${column((entry) => entry.tierImprovementId)}::bigint[]) e
    returning ${sql.join(rateColumns.map((name) => sql.ref(name)))}`.execute(trx);
  return rows.map(toStoredRate).sort((a, b) => exact(a.threshold).cmp(exact(b.threshold)));
}

const rateColumns = [
  'rate_id',
  'fxp_id',
  'source_country',
  'source_currency',
  'destination_country',
  'destination_currency',
  'exchange_rate',
  'threshold',
  'created_at',
] as const;

/** A member that is undefined does not filter. */
export type RateFilter = { readonly [Part in keyof CorridorKey]?: string | undefined } & {
  readonly fxpId?: string;
};

/**
 * Active rates, base and tiers, of a corridor, an FX provider or both. Best first, then oldest, then by FX provider.
 */
export async function readActiveRates(db: Db, filter: RateFilter): Promise<StoredRate[]> {
  let query = db.selectFrom('rates').select(rateColumns).where('expired_at', 'is', null);
  if (filter.fxpId !== undefined) query = query.where('fxp_id', '=', filter.fxpId);
  if (filter.sourceCountry !== undefined) query = query.where('source_country', '=', filter.sourceCountry);
  if (filter.sourceCurrency !== undefined) query = query.where('source_currency', '=', filter.sourceCurrency);
  if (filter.destinationCountry !== undefined) {
    query = query.where('destination_country', '=', filter.destinationCountry);
  }
  if (filter.destinationCurrency !== undefined) {
    query = query.where('destination_currency', '=', filter.destinationCurrency);
  }
  const rows = await query
    .orderBy('exchange_rate', 'desc')
    .orderBy('created_at')
    .orderBy('fxp_id')
    .orderBy('rate_id')
    .execute();
  return rows.map(toStoredRate);
}

interface RateRow {
  rate_id: string;
  fxp_id: string;
  source_country: string;
  source_currency: string;
  destination_country: string;
  destination_currency: string;
  exchange_rate: string;
  threshold: string;
  created_at: Date;
}

function toStoredRate(row: RateRow): StoredRate {
  return {
    rateId: row.rate_id,
    fxpId: row.fxp_id,
    sourceCountry: row.source_country,
    sourceCurrency: row.source_currency,
    destinationCountry: row.destination_country,
    destinationCurrency: row.destination_currency,
    exchangeRate: plainDecimal(row.exchange_rate),
    threshold: plainDecimal(row.threshold),
    createdAt: row.created_at,
  };
}
