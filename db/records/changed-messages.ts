// Handles stored messages that fail their integrity check, because somebody has changed the database. The
// process that finds such a message raises an alert. The message is neither shown nor sent.
import { sql } from 'kysely';
import { assert } from '../../core/assert.ts';
import { alertUnlessOpen } from './audit.ts';
import type { Db } from '../pool/connection.ts';
import { SealBroken } from '../keys/key-wrapping.ts';

/**
 * Raises an alert that a message was changed, or was deleted before it was sent. There is one alert per
 * message. If the message is found again after the alert was closed, there is another.
 * @param delivery the delivery that was to send the message
 */
export async function tellChanged(
  db: Db,
  messageId: string,
  delivery?: { readonly deliveryId: string; readonly kind: string },
): Promise<void> {
  // served by the primary keys
  const { rows } = await sql<{ subjectId: string; party: string }>`
    select subject_id as "subjectId", party from messages where message_id = ${messageId}::uuid
    union all select subject_id, party from refused_messages where message_id = ${messageId}::uuid`.execute(
    db,
  );
  const [about] = rows;
  assert(about !== undefined, 'a message that was read is on record');
  // served by index audit_events_subject_id
  const isSame = sql`e.subject_id = ${about.subjectId}::uuid and e.detail ->> 'messageId' = ${messageId}`;
  const alert = { kind: 'message.changed', ...about, detail: { messageId, ...delivery } } as const;
  await alertUnlessOpen(db, alert, isSame);
}

/**
 * Runs `open`, which reads the message.
 * @throws SealBroken if the message was changed, after raising the alert
 */
export async function openAndTell<T>(db: Db, messageId: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof SealBroken) await tellChanged(db, messageId);
    throw error;
  }
}

/** Like `openAndTell`, but returns `changed` instead of throwing SealBroken. */
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
