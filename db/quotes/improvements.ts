// Stores the rate improvements of FX providers, by source amount (tiers) and by PSP (FX-7). The interface
// specification has no way to delete an improvement. An FX provider ends one by setting it to 0 basis points.
import { sql } from 'kysely';
import { assert } from '../../core/assert.ts';
import { exact } from '../../core/money/money.ts';
import type { Db } from '../pool/connection.ts';
import { lockRates, rematerialiseTier } from './rates.ts';

export interface TierRegistration {
  readonly fxpId: string;
  readonly unitCurrency: string;
  readonly threshold: string;
  readonly improvementBasisPoints: string;
}

/** A stored improvement. Decimals have no trailing zeros. */
export interface StoredTier extends TierRegistration {
  readonly tierImprovementId: string;
  readonly updatedAt: Date;
}

/**
 * Registers or updates the tier of an FX provider, currency and threshold, and replaces the active rates of
 * the tier.
 */
export async function registerTier(trx: Db, tier: TierRegistration): Promise<StoredTier> {
  const moment = await lockRates(trx, tier.fxpId);
  const { rows } = await sql<Omit<StoredTier, 'fxpId' | 'unitCurrency'>>`
    insert into tier_improvements (fxp_id, unit_currency, threshold, improvement_basis_points, updated_at)
    values (${tier.fxpId}, ${tier.unitCurrency}, ${tier.threshold}, ${tier.improvementBasisPoints}, ${moment}::timestamptz)
    on conflict (fxp_id, unit_currency, threshold) do update
      set improvement_basis_points = excluded.improvement_basis_points, updated_at = excluded.updated_at
    returning tier_improvement_id as "tierImprovementId", trim_scale(threshold) as threshold,
      trim_scale(improvement_basis_points) as "improvementBasisPoints", updated_at as "updatedAt"`.execute(
    trx,
  );
  const stored = { ...tier, ...only(rows) };
  await rematerialiseTier(trx, stored, moment);
  return stored;
}

/**
 * Like `registerTier`, but limits the number of tiers. A tier of 0 basis points has ended and does not count,
 * but at most ten times the limit may be on record. An FX provider that reached the limit may still change
 * and end its tiers.
 */
export async function registerTierWithin(
  trx: Db,
  tier: TierRegistration,
  mostTiers: number,
): Promise<StoredTier | 'too-many' | 'too-many-on-record'> {
  await lockRates(trx, tier.fxpId); // so that simultaneous requests count each other's tiers
  const { rows: others } = await sql<Pick<StoredTier, 'threshold' | 'improvementBasisPoints'>>`
    select threshold, improvement_basis_points as "improvementBasisPoints" from tier_improvements
    where fxp_id = ${tier.fxpId} and unit_currency = ${tier.unitCurrency}`.execute(trx);
  const isEnded = (basisPoints: string) => exact(basisPoints).isZero();
  const threshold = exact(tier.threshold);
  const known = others.find((one) => exact(one.threshold).eq(threshold));
  const active = others.filter((one) => !isEnded(one.improvementBasisPoints));
  const isOneMore = !isEnded(tier.improvementBasisPoints) && !active.some((one) => one === known);
  if (isOneMore && active.length >= mostTiers) return 'too-many';
  if (known === undefined && others.length >= 10 * mostTiers) return 'too-many-on-record';
  return registerTier(trx, tier);
}

export interface PspRegistration {
  readonly fxpId: string;
  readonly pspId: string;
  readonly improvementBasisPoints: string;
}

export interface StoredPspImprovement extends PspRegistration {
  readonly pspImprovementId: string;
  readonly updatedAt: Date;
}

/**
 * Registers or updates the improvement of an FX provider for a PSP. It applies when a quote is made, so no
 * stored rate changes.
 */
export async function registerPspImprovement(
  trx: Db,
  improvement: PspRegistration,
): Promise<StoredPspImprovement> {
  const { rows } = await sql<Omit<StoredPspImprovement, 'fxpId' | 'pspId'>>`
    insert into psp_improvements (fxp_id, psp_id, improvement_basis_points, updated_at)
    values (${improvement.fxpId}, ${improvement.pspId}, ${improvement.improvementBasisPoints}, clock_timestamp())
    on conflict (fxp_id, psp_id) do update
      set improvement_basis_points = excluded.improvement_basis_points, updated_at = excluded.updated_at
    returning psp_improvement_id as "pspImprovementId",
      trim_scale(improvement_basis_points) as "improvementBasisPoints", updated_at as "updatedAt"`.execute(
    trx,
  );
  return { ...improvement, ...only(rows) };
}

function only<Row>([row]: readonly Row[]): Row {
  assert(row !== undefined, 'an insert returns its row');
  return row;
}

/**
 * Lists the improvements of an FX provider, including those of 0 basis points. Decimals have no trailing
 * zeros.
 */
export async function listImprovements(
  db: Db,
  fxpId: string,
): Promise<{ readonly tiers: readonly StoredTier[]; readonly psps: readonly StoredPspImprovement[] }> {
  const [tiers, psps] = await Promise.all([
    sql<StoredTier>`
      select tier_improvement_id as "tierImprovementId", fxp_id as "fxpId", unit_currency as "unitCurrency",
        trim_scale(threshold) as threshold, trim_scale(improvement_basis_points) as "improvementBasisPoints",
        updated_at as "updatedAt"
      from tier_improvements t where fxp_id = ${fxpId} order by unit_currency, t.threshold`.execute(db),
    sql<StoredPspImprovement>`
      select psp_improvement_id as "pspImprovementId", fxp_id as "fxpId", psp_id as "pspId",
        trim_scale(improvement_basis_points) as "improvementBasisPoints", updated_at as "updatedAt"
      from psp_improvements where fxp_id = ${fxpId} order by psp_id`.execute(db),
  ]);
  return { tiers: tiers.rows, psps: psps.rows };
}
