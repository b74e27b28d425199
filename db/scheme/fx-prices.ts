// Stores the opening prices of an FX provider: the base rates and improvements that it does not have yet.
// From then on the FX provider posts its own prices, and this file replaces none of them.
import { sql } from 'kysely';
import type { FxPricesDocument } from '../../core/scheme/documents.ts';
import { plainDecimal } from '../../core/money/money.ts';
import type { Db } from '../pool/connection.ts';
import { registerPspImprovement, registerTier } from '../quotes/improvements.ts';
import { lockRates } from '../quotes/rates.ts';

/** Runs in the caller's transaction. Base rates come first, because tier rates are calculated from them. */
export async function enterPrices(trx: Db, { fxpId, ...prices }: FxPricesDocument): Promise<void> {
  const moment = await lockRates(trx, fxpId);
  const entered = await enterBaseRates(trx, fxpId, { rates: prices.baseRates, moment });
  const { rows: tiers } = await sql<FxPricesDocument['tierImprovements'][number]>`
    select unit_currency as "unitCurrency", threshold, improvement_basis_points as "improvementBasisPoints"
    from tier_improvements where fxp_id = ${fxpId}`.execute(trx);
  const keyOf = (tier: { readonly unitCurrency: string; readonly threshold: string }) =>
    `${tier.unitCurrency} ${plainDecimal(tier.threshold)}`;
  const known = new Set(tiers.map(keyOf));
  const missing = prices.tierImprovements.filter((tier) => !known.has(keyOf(tier)));
  const withNewRates = entered.length > 0 ? tiers : [];
  for (const tier of [...withNewRates, ...missing]) await registerTier(trx, { fxpId, ...tier });
  const { rows: psps } = await sql<{ psp: string }>`
    select psp_id as psp from psp_improvements where fxp_id = ${fxpId}`.execute(trx);
  const knownPsps = new Set(psps.map(({ psp }) => psp));
  for (const improvement of prices.pspImprovements) {
    if (!knownPsps.has(improvement.pspId)) await registerPspImprovement(trx, { fxpId, ...improvement });
  }
}

/**
 * Passes one array per column, because a statement has at most 65,535 parameters and there may be more
 * values.
 * @returns the rates of corridors that had no rate before
 */
async function enterBaseRates(
  trx: Db,
  fxpId: string,
  { rates, moment }: { readonly rates: FxPricesDocument['baseRates']; readonly moment: string },
): Promise<readonly unknown[]> {
  const column = (value: (rate: FxPricesDocument['baseRates'][number]) => string) => rates.map(value);
  const { rows } = await sql`
    insert into rates (fxp_id, source_country, source_currency, destination_country, destination_currency,
      exchange_rate, threshold, created_at)
    select ${fxpId}, e.*, 0, ${moment}::timestamptz
    from unnest(${column((rate) => rate.sourceCountry)}::text[], ${column((rate) => rate.sourceCurrency)}::text[],
      ${column((rate) => rate.destinationCountry)}::text[], ${column((rate) => rate.destinationCurrency)}::text[],
      ${column((rate) => rate.exchangeRate)}::numeric[]) e
    on conflict do nothing returning rate_id`.execute(trx); // served by index rates_active
  return rows;
}
