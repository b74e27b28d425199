// What an FX provider begins with (ADM-3): base rates and improvements where it has none. From then on its prices are
// its own, posted by itself (FX-4, FX-6, FX-7); nothing here replaces one.
import { sql } from 'kysely';
import type { FxPricesDocument } from '../../core/scheme/documents.ts';
import { plainDecimal } from '../../core/money.ts';
import type { Db } from '../connection.ts';
import { registerPspImprovement, registerTier } from '../improvements.ts';
import { lockRates } from '../rates.ts';

/** In the caller's transaction. Base rates come first: a tier makes its rates of them (FX-6). */
export async function enterPrices(trx: Db, { fxpId, ...prices }: FxPricesDocument): Promise<void> {
  const moment = await lockRates(trx, fxpId);
  const rows = prices.baseRates.map((rate) => ({
    fxp_id: fxpId,
    source_country: rate.sourceCountry,
    source_currency: rate.sourceCurrency,
    destination_country: rate.destinationCountry,
    destination_currency: rate.destinationCurrency,
    exchange_rate: rate.exchangeRate,
    threshold: '0',
    created_at: sql<Date>`${moment}::timestamptz`,
  }));
  const entered =
    rows.length === 0
      ? []
      : await trx
          .insertInto('rates')
          .values(rows)
          .onConflict((conflict) => conflict.doNothing()) // index rates_active
          .returning('rate_id')
          .execute();
  const tiers = await trx
    .selectFrom('tier_improvements')
    .select([
      'unit_currency as unitCurrency',
      'threshold',
      'improvement_basis_points as improvementBasisPoints',
    ])
    .where('fxp_id', '=', fxpId)
    .execute();
  const keyOf = (tier: { readonly unitCurrency: string; readonly threshold: string }) =>
    `${tier.unitCurrency} ${plainDecimal(tier.threshold)}`;
  const known = new Set(tiers.map(keyOf));
  const missing = prices.tierImprovements.filter((tier) => !known.has(keyOf(tier)));
  const withNewRates = entered.length > 0 ? tiers : [];
  for (const tier of [...withNewRates, ...missing]) await registerTier(trx, { fxpId, ...tier });
  const psps = await trx
    .selectFrom('psp_improvements')
    .select('psp_id')
    .where('fxp_id', '=', fxpId)
    .execute();
  const knownPsps = new Set(psps.map(({ psp_id: pspId }) => pspId));
  for (const improvement of prices.pspImprovements) {
    if (!knownPsps.has(improvement.pspId)) await registerPspImprovement(trx, { fxpId, ...improvement });
  }
}
