// How a repeat is refused, of a payment or a resolution (DUP-2): in the HTTP answer only, and always by the same
// message.
import type { AuditEvent } from '../db/audit.ts';
import type { Db } from '../db/connection.ts';
import { recordRefusal, type OutgoingMessage } from '../db/messages.ts';

/**
 * @param compose makes the answer, with what a person must know of it; not called where one was given before
 * @returns the id of the answer that stands
 */
export async function refuseOnce(
  db: Db,
  {
    messageId,
    earlierAnswerId,
  }: { readonly messageId: string; readonly earlierAnswerId: string | undefined },
  compose: () => Promise<{ readonly answer: OutgoingMessage; readonly event: AuditEvent | null }>,
): Promise<string> {
  return earlierAnswerId ?? recordRefusal(db, messageId, await compose());
}
