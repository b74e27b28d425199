// Shares request counts, per minute or per day, among the api processes. The counts are useless after that
// time, so the table is unlogged.
import { sql } from 'kysely';
import type { Db } from '../pool/connection.ts';
import { theOne } from '../pool/statements.ts';

export interface RequestCount {
  readonly name: string;
  readonly count: number;
}

/**
 * Adds the counts of one process.
 * @param minute minutes since 1970; for a count per day, the last minute of the day
 * @returns the total counts of all processes under those names
 */
export async function addCounts(
  db: Db,
  minute: number,
  counts: readonly RequestCount[],
): Promise<readonly RequestCount[]> {
  // sorted to avoid deadlocks between processes
  const inOrder = counts.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const { rows } = await sql<RequestCount>`
    insert into request_counts as c (name, minute, count)
    select name, ${minute}::int, count from unnest(
      ${inOrder.map(({ name }) => name)}::text[], ${inOrder.map(({ count }) => count)}::int[]) as added (name, count)
    on conflict (name, minute) do update set count = c.count + excluded.count
    returning name, count`.execute(db);
  return rows;
}

export async function forgetCounts(db: Db, beforeMinute: number): Promise<void> {
  await sql`delete from request_counts where minute < ${beforeMinute}::int`.execute(db);
}

/**
 * Counts undecided payments by the clearing system that sent them. Served by index deliveries_undecided and the primary
 * key of payments. The planner expects far more undecided payments than there are, and for a plain join would scan all
 * payments.
 */
export async function countUndecided(db: Db): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ system: string; count: number }>`
    select p.source_clearing_system as system, count(*)::int as count
    from deliveries d join ${theOne(sql`payments where uetr = d.subject_id and begun_at = d.begun_at`)} p on true
    where d.kind = 'instruction' and d.closed_at is null
    group by 1`.execute(db);
  return new Map(rows.map(({ system, count }) => [system, count]));
}
