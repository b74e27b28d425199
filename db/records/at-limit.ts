// Tells operators that a party has reached one of its limits.
import { sql } from 'kysely';
import { alertUnlessOpen, hasDetail } from './audit.ts';
import type { Db } from '../pool/connection.ts';

/** Limits that a party can reach. docs/operations/alerts.md explains each. */
export type PartyLimit =
  | 'callback-addresses'
  | 'contradictions'
  | 'lookups'
  | 'repeats'
  | 'reports'
  | 'stored-bytes'
  | 'tiers'
  | 'undecided-payments';

/**
 * Raises one alert per party and limit. The next one follows after that is closed, or is a day old.
 * @param subjectId the payment or resolution that reached the limit
 */
export async function alertAtLimit(
  db: Db,
  party: string,
  limit: PartyLimit,
  subjectId?: string,
): Promise<void> {
  const isOfLimit = sql`e.occurred_at > clock_timestamp() - interval '1 day' and e.party = ${party}
    and ${hasDetail({ limit })}`;
  await alertUnlessOpen(db, { kind: 'party.at-limit', subjectId, party, detail: { limit } }, isOfLimit);
}
