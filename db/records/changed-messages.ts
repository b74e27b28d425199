// Stored messages that are not what was stored: somebody has changed the database. Whoever meets one tells of it, and
// neither shows nor sends it.
import { sql } from 'kysely';
import { assert } from '../../core/assert.ts';
import { alertUnlessOpen } from './audit.ts';
import type { Db } from '../pool/connection.ts';
import { SealBroken } from '../keys/key-wrapping.ts';

/**
 * Tells that a message was changed, or is gone though it has yet to go out: one alert for each, whoever meets it, and another
 * where it is met after that was closed.
 * @param delivery by which it was to go out
 */
export async function tellChanged(
  db: Db,
  messageId: string,
  delivery?: { readonly deliveryId: string; readonly kind: string },
): Promise<void> {
  // primary keys
  const { rows } = await sql<{ subjectId: string; party: string }>`
    select subject_id as "subjectId", party from messages where message_id = ${messageId}::uuid
    union all select subject_id, party from refused_messages where message_id = ${messageId}::uuid`.execute(
    db,
  );
  const [about] = rows;
  assert(about !== undefined, 'a message that was read is on record');
  // index audit_events_subject_id
  const isSame = sql`e.subject_id = ${about.subjectId}::uuid and e.detail ->> 'messageId' = ${messageId}`;
  const alert = { kind: 'message.changed', ...about, detail: { messageId, ...delivery } } as const;
  await alertUnlessOpen(db, alert, isSame);
}

/**
 * As `open`, which reads the message.
 * @throws SealBroken, after that was told, where it is not what was stored
 */
export async function openAndTell<T>(db: Db, messageId: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof SealBroken) await tellChanged(db, messageId);
    throw error;
  }
}

/** The same; `changed` where it is not what was stored. */
export async function openOrTell<T>(
  db: Db,
  messageId: string,
  open: () => Promise<T>,
): Promise<T | 'changed'> {
  try {
    return await openAndTell(db, messageId, open);
  } catch (error) {
    if (error instanceof SealBroken) return 'changed';
    throw error;
  }
}
