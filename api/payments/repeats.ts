// Limits the work that repeated submissions of one payment system cause. Beyond the limit, the record still
// answers every repeat.
import type { MayAsk } from '../../db/payments/asks.ts';
import { alertAtLimit } from '../../db/records/audit.ts';
import type { RouteDependencies } from '../dependencies.ts';

/**
 * Limit per minute for callbacks, enquiries and confirmations together, over all api processes. Each process
 * also limits them to 10 per second.
 */
const askedAgainPerMinute = 60;

export function repeatsOf({ db, quotas }: RouteDependencies, party: string): MayAsk {
  return async () => {
    const { isOver, isOfSecond } = quotas.use(`asked again ${party}`, askedAgainPerMinute);
    if (isOver && !isOfSecond) await alertAtLimit(db, party, 'repeats');
    return !isOver;
  };
}
