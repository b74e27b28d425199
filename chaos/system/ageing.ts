// Ages a quote, or the use of a MsgId, in its row, because no run can wait that long (QUO-6, DUP-2).
import type { Ageing, Tools } from '../load/tools.ts';

const statements: Readonly<Record<Ageing, string>> = {
  quote: `update quote_requests set issued_at = issued_at - $2 * interval '1 second'
    where quote_request_id = overlay($1::text placing '00' from 35)::uuid returning 1`,
  'message-id': `update message_identifications set claimed_at = claimed_at - $2 * interval '1 second'
    where message_identification = $1 returning 1`,
};

/** @param query runs a statement; if the database is down, nothing is aged */
export function makeOlder(
  query: (text: string, values: unknown[]) => Promise<readonly unknown[]>,
): Tools['age'] {
  return async (what, id, seconds) => {
    const made = await query(statements[what], [id, seconds]).catch(() => []);
    return made.length === 1;
  };
}
