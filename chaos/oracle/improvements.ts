// The rate improvements of FX providers (FX-6, FX-7). They come from the dumped tables, because no run
// changes them.
import { amount, zero, type Amount } from './decimals.ts';
import type { Evidence } from './read-evidence.ts';
import { rowsOf } from './rows.ts';

/** All improvements are in basis points; 0 means no improvement. */
export interface Improvements {
  readonly ofPsp: (fxp: string, psp: string) => Amount;
  /** Returns the improvement for an FX provider, source currency and threshold. */
  readonly ofTier: (fxp: string, currency: string, threshold: Amount) => Amount;
}

export function openImprovements({ tables }: Pick<Evidence, 'tables'>): Improvements {
  const ofPsps = new Map(
    rowsOf(tables, 'psp_improvements').map((row) => [
      `${row.fxp_id} ${row.psp_id}`,
      amount(row.improvement_basis_points),
    ]),
  );
  const tierKey = (fxp: string, currency: string, threshold: Amount) =>
    `${fxp} ${currency} ${threshold.toFixed()}`;
  const ofTiers = new Map(
    rowsOf(tables, 'tier_improvements').map((row) => [
      tierKey(row.fxp_id, row.unit_currency, amount(row.threshold)),
      amount(row.improvement_basis_points),
    ]),
  );
  return {
    ofPsp: (fxp, psp) => ofPsps.get(`${fxp} ${psp}`) ?? zero,
    ofTier: (...of) => ofTiers.get(tierKey(...of)) ?? zero,
  };
}
