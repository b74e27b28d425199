// Ages a quote in its row, because no run can wait that long (QUO-6).
import type { Tools } from '../load/tools.ts';

const statement = `update quote_requests set issued_at = issued_at - $2 * interval '1 second'
  where quote_request_id = overlay($1::text placing '00' from 35)::uuid returning 1`;

/** @param query runs a statement; if the database is down, nothing is aged */
export function makeOlder(
  query: (text: string, values: unknown[]) => Promise<readonly unknown[]>,
): Tools['ageQuote'] {
  return async (id, seconds) => {
    const made = await query(statement, [id, seconds]).catch(() => []);
    return made.length === 1;
  };
}
