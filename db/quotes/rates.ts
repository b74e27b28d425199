// Rates in the database. An FX provider posts all rates of a corridor at once, with one rate per tier; rates are never
// deleted. A change holds the FX provider's lock until commit, so that each corridor has exactly one active set, even
// if several changes come at once.
import { sql } from 'kysely';
import { assert } from '../../core/assert.ts';
import type { CorridorKey } from '../../core/quotes/corridor.ts';
import { exact } from '../../core/money/money.ts';
import { improveRateText } from '../../core/quotes/rate.ts';
import type { Db } from '../pool/connection.ts';
import { given } from '../pool/statements.ts';

/** A stored rate. Decimals have no trailing zeros. */
export interface StoredRate extends CorridorKey {
  readonly rateId: string;
  readonly fxpId: string;
  readonly exchangeRate: string;
  /** Smallest source amount for this rate; '0' for the base rate. */
  readonly threshold: string;
  readonly createdAt: Date;
}

/**
 * Time of a change, by the database clock. It is read under the lock, so that a later change has a later
 * time.
 */
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
 * Replaces the rates of an FX provider for a corridor, in the caller's transaction (FX-4). Expires the active
 * rates, then stores the base rate and one improved rate per tier of the source currency. Skips a tier of 0
 * basis points, and a tier whose rate does not fit into a message.
 * @returns the stored rates, base first, then by threshold
 */
export async function replaceRates(trx: Db, rate: NewRate): Promise<readonly StoredRate[]> {
  const moment = await lockRates(trx, rate.fxpId);
  await trx
    .updateTable('rates')
    .set({ expired_at: sql<Date>`${moment}::timestamptz` })
    .where('fxp_id', '=', rate.fxpId) // seam: ended-rates
    .where('source_country', '=', rate.sourceCountry)
    .where('source_currency', '=', rate.sourceCurrency)
    .where('destination_country', '=', rate.destinationCountry)
    .where('destination_currency', '=', rate.destinationCurrency)
    .where('expired_at', 'is', null) // served by index rates_active
    .execute();
  const { rows: tiers } = await sql<Pick<Tier, 'tierImprovementId' | 'threshold' | 'improvementBasisPoints'>>`
    select tier_improvement_id as "tierImprovementId", threshold, improvement_basis_points as "improvementBasisPoints"
    from tier_improvements
    where fxp_id = ${rate.fxpId} and unit_currency = ${rate.sourceCurrency} and improvement_basis_points > 0
    order by threshold`.execute(trx);
  const improved = tiers.flatMap(({ improvementBasisPoints, ...tier }) => {
    const exchangeRate = improveRateText(rate.rate, improvementBasisPoints);
    return exchangeRate === undefined ? [] : [{ exchangeRate, ...tier }];
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
 * Recalculates the rates of a tier for every active base rate of its currency, in the transaction that
 * registers the tier (FX-6). A tier of 0 basis points has no rates.
 */
export async function rematerialiseTier(trx: Db, tier: Tier, moment: Moment): Promise<void> {
  // served by index rates_active_by_fxp
  const isTheirs = sql`fxp_id = ${tier.fxpId} and source_currency = ${tier.unitCurrency} and expired_at is null`;
  await sql`
    update rates set expired_at = ${moment}::timestamptz
    where ${isTheirs} and tier_improvement_id = ${tier.tierImprovementId}`.execute(trx);
  if (exact(tier.improvementBasisPoints).isZero()) return;
  const { rows: bases } = await sql<StoredRate>`
    select ${rateColumns} from rates where ${isTheirs} and rates.threshold = 0`.execute(trx);
  const { threshold, tierImprovementId } = tier;
  const entries = bases.flatMap((base) => {
    const exchangeRate = improveRateText(base.exchangeRate, tier.improvementBasisPoints);
    return exchangeRate === undefined ? [] : [{ ...base, exchangeRate, threshold, tierImprovementId }];
  });
  await insertRates(trx, entries, moment);
}

interface RateEntry extends Omit<StoredRate, 'rateId' | 'createdAt'> {
  readonly tierImprovementId: string | null;
}

/** Passes one array per column, because a statement has at most 65,535 parameters and there may be more values. */
async function insertRates(
  trx: Db,
  entries: readonly RateEntry[],
  moment: Moment,
): Promise<readonly StoredRate[]> {
  if (entries.length === 0) return [];
  const column = (value: (entry: RateEntry) => string | null) => entries.map(value);
  const { rows } = await sql<StoredRate>`
    insert into rates (fxp_id, source_country, source_currency, destination_country, destination_currency,
      exchange_rate, threshold, tier_improvement_id, created_at)
    select e.*, ${moment}::timestamptz
    from unnest(${column((entry) => entry.fxpId)}::text[],
      ${column((entry) => entry.sourceCountry)}::text[], ${column((entry) => entry.sourceCurrency)}::text[],
      ${column((entry) => entry.destinationCountry)}::text[], ${column((entry) => entry.destinationCurrency)}::text[],
      ${column((entry) => entry.exchangeRate)}::numeric[], ${column((entry) => entry.threshold)}::numeric[],
      ${column((entry) => entry.tierImprovementId)}::bigint[]) e
    returning ${rateColumns}`.execute(trx);
  return rows.toSorted((a, b) => exact(a.threshold).cmp(exact(b.threshold)));
}

const rateColumns = sql`
  rate_id as "rateId", fxp_id as "fxpId", source_country as "sourceCountry", source_currency as "sourceCurrency",
  destination_country as "destinationCountry", destination_currency as "destinationCurrency",
  trim_scale(exchange_rate) as "exchangeRate", trim_scale(threshold) as threshold, created_at as "createdAt"`;

/** Selects rates. An undefined member does not restrict the selection. */
export type RateFilter = { readonly [Part in keyof CorridorKey]?: string | undefined } & {
  readonly fxpId?: string;
};

/**
 * Reads active rates, both base rates and tier rates. The best rate comes first, then the oldest, then by FX
 * provider.
 */
export async function readActiveRates(db: Db, filter: RateFilter): Promise<readonly StoredRate[]> {
  const conditions = [
    sql`expired_at is null`,
    ...given(filter.fxpId, (fxp) => sql`fxp_id = ${fxp}`),
    ...given(filter.sourceCountry, (country) => sql`source_country = ${country}`),
    ...given(filter.sourceCurrency, (currency) => sql`source_currency = ${currency}`),
    ...given(filter.destinationCountry, (country) => sql`destination_country = ${country}`),
    ...given(filter.destinationCurrency, (currency) => sql`destination_currency = ${currency}`),
  ];
  const { rows } = await sql<StoredRate>`
    select ${rateColumns} from rates where ${sql.join(conditions, sql` and `)}
    order by exchange_rate desc, created_at, fxp_id, rate_id`.execute(db);
  return rows;
}
