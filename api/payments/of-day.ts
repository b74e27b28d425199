// Limits one payment system per day (UTC). The limits apply to stored bytes, and to lookups of names without
// payments (OVL-2). Each api process counts in memory and shares its counts once a second.
import { alertAtLimit } from '../../db/records/audit.ts';
import { isReceived, type ReceivedMessage } from '../../db/records/messages.ts';
import type { RouteDependencies } from '../dependencies.ts';
import { problem, type Problem } from '../http/problems/problem.ts';

type Submission = Pick<ReceivedMessage, 'party' | 'body'> & { readonly type: 'pacs008' | 'acmt023' };

/** Lookups per day that are allowed without payments, and additional lookups for each payment. */
const freeLookups = 1_000;
const lookupsPerPayment = 20;

export interface OfDay {
  /** @returns undefined if the message may be stored, or is already stored */
  refuse(message: Submission): Promise<Problem | undefined>;
  add(message: Submission): Promise<void>;
}

export function createOfDay({ db, config, ofDay }: RouteDependencies): OfDay {
  const kilobytes = config.senderLimits.megabytesPerDay * 1_000;
  const bytesOf = (party: string) => `bytes of ${party}`;
  const countOf = (type: Submission['type'], party: string) => `${type} of ${party}`;
  const counted = (type: Submission['type'], party: string) =>
    ofDay.look(countOf(type, party), freeLookups).used;
  return {
    async refuse(message) {
      const { isOver, resetSeconds } = ofDay.look(bytesOf(message.party), kilobytes);
      if (!isOver || (await isReceived(db, message))) return undefined;
      await alertAtLimit(db, message.party, 'stored-bytes');
      return problem('too-many-bytes', { headers: { 'retry-after': String(resetSeconds) } });
    },
    async add({ type, party, body }) {
      ofDay.note(bytesOf(party), kilobytes, Math.ceil(body.length / 1_000));
      ofDay.note(countOf(type, party), freeLookups);
      const allowed = Math.max(freeLookups, lookupsPerPayment * counted('pacs008', party));
      if (type === 'acmt023' && counted(type, party) > allowed) await alertAtLimit(db, party, 'lookups');
    },
  };
}
