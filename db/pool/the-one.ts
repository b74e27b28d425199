// How statements look up one row of a partitioned table by its key.
import { sql, type RawBuilder } from 'kysely';

/**
 * The one row by a key, to be joined. Of partitioned tables the planner expects a row of each partition, and
 * takes to reading them whole where several are joined; by this it looks them up.
 * @param from table, and the condition that finds the row
 */
export const theOne = (from: RawBuilder<unknown>) => sql`lateral (select * from ${from} limit 1)`;
