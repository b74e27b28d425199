// How much one payment system causes by repeating messages that are on record (DUP-1, SEC-7): a few executions in a
// second, however many it repeats. Every repeat is answered from the record all the same.
import type { MayAsk } from '../db/asks.ts';
import { createQuotas } from './http/quotas.ts';
import type { ApiDependencies } from './dependencies.ts';

/** Callbacks and enquiries together, over all apis; each api lets through 10 in a second. */
const askedAgainPerMinute = 60;

export function repeatsOf({ quotas = createQuotas() }: ApiDependencies, sourceSystem: string): MayAsk {
  return () => !quotas.use(`asked again ${sourceSystem}`, askedAgainPerMinute).isOver;
}
