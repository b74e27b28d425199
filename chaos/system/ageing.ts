// Makes a quote older by changing its row, because a run cannot wait until a quote expires (QUO-6).
import type { Tools } from '../load/tools.ts';

const statement = `update quote_requests set issued_at = issued_at - $2 * interval '1 second'
  where quote_request_id = overlay($1::text placing '00' from 35)::uuid returning 1`;

/** @param query runs an SQL statement; if it fails, the quote keeps its age */
export function makeOlder(
  query: (text: string, values: unknown[]) => Promise<readonly unknown[]>,
): Tools['ageQuote'] {
  return async (id, seconds) => {
    const made = await query(statement, [id, seconds]).catch(() => []);
    return made.length === 1;
  };
}
