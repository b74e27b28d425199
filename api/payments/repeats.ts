// Bounds the work that one payment system's repeats cause. Every repeat is answered from the
// record all the same.
import type { MayAsk } from '../../db/payments/asks.ts';
import { alertAtLimit } from '../../db/records/at-limit.ts';
import type { RouteDependencies } from '../dependencies.ts';

/** Callbacks, enquiries and confirmations together, over all apis; each api lets through 10 in a second. */
const askedAgainPerMinute = 60;

export function repeatsOf({ db, quotas }: RouteDependencies, party: string): MayAsk {
  return async () => {
    const { isOver, isOfSecond } = quotas.use(`asked again ${party}`, askedAgainPerMinute);
    if (isOver && !isOfSecond) await alertAtLimit(db, party, 'repeats');
    return !isOver;
  };
}
