// Improvements of FX providers: by source amount and by PSP (FX-7). The interface specification has no way to delete
// one; an FX provider ends it by setting it to 0 basis points.
import { sql } from 'kysely';
import { exact, plainDecimal } from '../../core/money/money.ts';
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
 * Registers or updates a tier by (FX provider, currency, threshold), and replaces its active rates, in the caller's
 * transaction.
 */
export async function registerTier(trx: Db, tier: TierRegistration): Promise<StoredTier> {
  const moment = await lockRates(trx, tier.fxpId);
  const row = await trx
    .insertInto('tier_improvements')
    .values({
      fxp_id: tier.fxpId,
      unit_currency: tier.unitCurrency,
      threshold: tier.threshold,
      improvement_basis_points: tier.improvementBasisPoints,
      updated_at: sql<Date>`${moment}::timestamptz`,
    })
    .onConflict((conflict) =>
      conflict.columns(['fxp_id', 'unit_currency', 'threshold']).doUpdateSet((row) => ({
        improvement_basis_points: row.ref('excluded.improvement_basis_points'),
        updated_at: row.ref('excluded.updated_at'),
      })),
    )
    .returning(['tier_improvement_id', 'threshold', 'improvement_basis_points', 'updated_at'])
    .executeTakeFirstOrThrow();
  const stored = {
    ...tier,
    tierImprovementId: row.tier_improvement_id,
    threshold: plainDecimal(row.threshold),
    improvementBasisPoints: plainDecimal(row.improvement_basis_points),
    updatedAt: row.updated_at,
  };
  await rematerialiseTier(trx, stored, moment);
  return stored;
}

/**
 * Like `registerTier`, but with a limit on new tiers. A tier of 0 basis points has ended and does not count, but at
 * most ten times the limit may be on record. An FX provider beyond the limit may still change and end its tiers.
 */
export async function registerTierWithin(
  trx: Db,
  tier: TierRegistration,
  mostTiers: number,
): Promise<StoredTier | 'too-many' | 'too-many-on-record'> {
  await lockRates(trx, tier.fxpId); // so that simultaneous requests count each other's tiers
  const others = await trx
    .selectFrom('tier_improvements')
    .select(['threshold', 'improvement_basis_points'])
    .where('fxp_id', '=', tier.fxpId)
    .where('unit_currency', '=', tier.unitCurrency)
    .execute(); // unique (fxp_id, unit_currency, threshold)
  const isEnded = (basisPoints: string) => exact(basisPoints).isZero();
  const threshold = exact(tier.threshold);
  const known = others.find((one) => exact(one.threshold).eq(threshold));
  const active = others.filter((one) => !isEnded(one.improvement_basis_points));
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

/** Registers or updates by (FX provider, PSP). It is applied when a quote is made, so no stored rate changes. */
export async function registerPspImprovement(
  trx: Db,
  improvement: PspRegistration,
): Promise<StoredPspImprovement> {
  const row = await trx
    .insertInto('psp_improvements')
    .values({
      fxp_id: improvement.fxpId,
      psp_id: improvement.pspId,
      improvement_basis_points: improvement.improvementBasisPoints,
      updated_at: sql<Date>`clock_timestamp()`,
    })
    .onConflict((conflict) =>
      conflict.columns(['fxp_id', 'psp_id']).doUpdateSet((row) => ({
        improvement_basis_points: row.ref('excluded.improvement_basis_points'),
        updated_at: row.ref('excluded.updated_at'),
      })),
    )
    .returning(['psp_improvement_id', 'improvement_basis_points', 'updated_at'])
    .executeTakeFirstOrThrow();
  return {
    ...improvement,
    pspImprovementId: row.psp_improvement_id,
    improvementBasisPoints: plainDecimal(row.improvement_basis_points),
    updatedAt: row.updated_at,
  };
}

/** The improvements of an FX provider, those of 0 basis points included. Decimals have no trailing zeros. */
export async function listImprovements(
  db: Db,
  fxpId: string,
): Promise<{ readonly tiers: readonly StoredTier[]; readonly psps: readonly StoredPspImprovement[] }> {
  const [tiers, psps] = await Promise.all([
    db
      .selectFrom('tier_improvements')
      .select([
        'tier_improvement_id as tierImprovementId',
        'fxp_id as fxpId',
        'unit_currency as unitCurrency',
        'threshold',
        'improvement_basis_points as improvementBasisPoints',
        'updated_at as updatedAt',
      ])
      .where('fxp_id', '=', fxpId)
      .orderBy('unit_currency')
      .orderBy('threshold')
      .execute(),
    db
      .selectFrom('psp_improvements')
      .select([
        'psp_improvement_id as pspImprovementId',
        'fxp_id as fxpId',
        'psp_id as pspId',
        'improvement_basis_points as improvementBasisPoints',
        'updated_at as updatedAt',
      ])
      .where('fxp_id', '=', fxpId)
      .orderBy('psp_id')
      .execute(),
  ]);
  const plain = <One extends { readonly improvementBasisPoints: string }>(one: One): One => ({
    ...one,
    improvementBasisPoints: plainDecimal(one.improvementBasisPoints),
  });
  return {
    tiers: tiers.map((one) => ({ ...plain(one), threshold: plainDecimal(one.threshold) })),
    psps: psps.map(plain),
  };
}
