// Counts messages that were refused for their signature, per payment system and day.
import { sql } from 'kysely';
import type { RefusedSignatures } from '../../core/deliveries/party-health.ts';
import type { Db } from '../pool/connection.ts';

export interface SignatureCount {
  readonly partyId: string;
  /** Day (UTC), such as 2026-01-05. */
  readonly day: string;
  readonly number: number;
  readonly lastAt: Date;
  readonly lastWhy: string;
}

const keptDays = 62; // as long as quotes

/** Adds the counts of one process, and deletes old rows. */
export async function addRefusedSignatures(db: Db, counts: readonly SignatureCount[]): Promise<void> {
  // sorted to avoid deadlocks between processes
  const inOrder = counts.toSorted((one, other) => (one.partyId < other.partyId ? -1 : 1));
  const column = <T>(pick: (one: SignatureCount) => T) => inOrder.map(pick);
  await sql`
    with old as (delete from refused_signatures where day < current_date - ${sql.lit(keptDays)}::int)
    insert into refused_signatures as r (party_id, day, number, last_at, last_why)
    select * from unnest(${column((one) => one.partyId)}::text[], ${column((one) => one.day)}::date[],
      ${column((one) => one.number)}::int[], ${column((one) => one.lastAt)}::timestamptz[], ${column((one) => one.lastWhy)}::text[])
    on conflict (party_id, day) do update set number = r.number + excluded.number,
      last_at = greatest(r.last_at, excluded.last_at),
      last_why = case when excluded.last_at < r.last_at then r.last_why else excluded.last_why end`.execute(
    db,
  );
}

/** Reads the count of today (UTC) and the last refusal of each payment system that has any. */
export async function readRefusedSignatures(
  db: Db,
): Promise<readonly (RefusedSignatures & { readonly party: string })[]> {
  // served by the primary key; there are few rows
  const { rows } = await sql<RefusedSignatures & { readonly party: string }>`
    select distinct on (party_id) party_id as party, last_at as "lastAt", last_why as "lastWhy",
      case when day = (now() at time zone 'utc')::date then number else 0 end as today
    from refused_signatures where day >= current_date - ${sql.lit(keptDays)}::int
    order by party_id, day desc`.execute(db);
  return rows;
}
