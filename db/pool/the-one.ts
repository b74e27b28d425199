// Looks up one row of a partitioned table by its key.
import { sql, type RawBuilder } from 'kysely';

/**
 * A subquery for a join that finds one row by its key. For a plain join the planner expects a row from each partition,
 * and scans whole partitions if several are joined. With `limit 1` it uses the key.
 * @param from the table and the condition that finds the row
 */
export const theOne = (from: RawBuilder<unknown>) => sql`lateral (select * from ${from} limit 1)`;
