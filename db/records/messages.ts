// Stores every message received or built, byte for byte. Rows are inserted and never changed.
import { createHash } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import { assert } from '../../core/assert.ts';
import type { MessageName } from '../../core/iso20022/messages.ts';
import { finalStatuses } from '../../core/payments/report.ts';
import { insertAudit, type AuditEvent } from './audit.ts';
import type { Db } from '../pool/connection.ts';
import { isThere, runPrepared, theOne } from '../pool/statements.ts';
import { bodyColumns, heldKeyId, openBody, seal, type BodyColumns } from '../keys/vault.ts';
import { newRowId } from '../pool/row-ids.ts';

export type Leg = 'source' | 'destination' | 'fxp' | 'book';

/** A message that we built and validated. It is stored before it is sent. */
export interface OutgoingMessage {
  readonly messageId: string;
  /** UETR of the payment, or id of the resolution or of the page of a book. */
  readonly subjectId: string;
  readonly type: MessageName;
  readonly messageIdentification: string;
  readonly leg: Leg;
  readonly party: string;
  /** Status of a pacs.002; absent for other messages. */
  readonly status?: string;
  readonly reasonCode?: string | undefined;
  readonly inReplyTo?: string | undefined;
  /** The full explanation, if the message rejects or refuses. */
  readonly refusal?: string | undefined;
  readonly body: Buffer;
}

export interface ReceivedMessage {
  /** Absent for an acmt.023 that begins a resolution: the id of its row becomes the id of the resolution. */
  readonly subjectId?: string;
  readonly type: MessageName;
  readonly messageIdentification: string;
  readonly leg: Leg;
  readonly party: string;
  readonly status?: string;
  readonly reasonCode?: string | undefined;
  /** Address to which the sender wants the answer (pacs002Endpoint). */
  readonly answerUrl?: string;
  readonly inReplyTo?: string | undefined;
  readonly body: Buffer;
}

/**
 * SQL: whether a message has a final status. The wording must match index messages_finals, so that Postgres
 * uses that index.
 * @param alias of `messages` in the statement
 */
export const hasFinalStatus = (alias: string) =>
  sql`${sql.ref(`${alias}.status`)} in (${sql.join(finalStatuses.map((status) => sql.lit(status)))})`;

/** Hash of the body, by which a repeated message is recognised. */
function hashOf(body: Buffer): Buffer {
  return createHash('sha256').update(body).digest();
}

/**
 * SQL parts of a larger statement that store built messages: `stored` has the records, and `stored_bodies`
 * the bytes. `(select ...)` hides the number of messages from the planner, so that it uses one plan for all calls
 * (db/quotes/quotes.ts).
 */
export function storedOutgoing(db: Db, messages: readonly OutgoingMessage[], condition: RawBuilder<unknown>) {
  const sealed = messages.map((m) => seal(db, [m.messageId, m.type, m.party], m.body));
  const column = <T>(pick: (message: OutgoingMessage) => T) => messages.map(pick);
  return sql`stored as (
    insert into messages (message_id, subject_id, message_type, message_identification, direction, leg, party, status,
      reason_code, in_reply_to, refusal, sha256, size, created_at)
    select message_id, subject_id, message_type, message_identification, 'out', leg, party, status, reason_code,
      in_reply_to, refusal, sha256, size, now()
    from unnest(
      (select ${column((m) => m.messageId)}::uuid[]), ${column((m) => m.subjectId)}::uuid[], ${column((m) => m.type)}::text[],
      ${column((m) => m.messageIdentification)}::text[], ${column((m) => m.leg)}::text[], ${column((m) => m.party)}::text[],
      ${column((m) => m.status ?? null)}::text[], ${column((m) => m.reasonCode ?? null)}::text[],
      ${column((m) => m.inReplyTo ?? null)}::uuid[], ${column((m) => m.refusal ?? null)}::text[],
      ${column((m) => hashOf(m.body))}::bytea[], ${column((m) => m.body.length)}::int[]
    ) as built (message_id, subject_id, message_type, message_identification, leg, party, status, reason_code, in_reply_to,
      refusal, sha256, size)
    where ${condition}
  ),
  stored_bodies as (
    insert into message_bodies (message_id, created_at, body, key_id)
    select message_id, now(), body, ${heldKeyId(sql.ref('key_id'))}
    from unnest((select ${column((m) => m.messageId)}::uuid[]), ${sealed.map(({ bytes }) => bytes)}::bytea[],
      ${sealed.map(({ keyId }) => keyId)}::text[]) as bodies (message_id, body, key_id)
    where ${condition}
  )`;
}

/**
 * SQL parts of a larger statement that store a received message, once per party and content. `received` has
 * the id of the message. It has no row if the same bytes came before or the condition does not hold.
 */
export function storedReceived(
  db: Db,
  messageId: string,
  message: ReceivedMessage,
  condition: RawBuilder<unknown> = sql`true`,
) {
  const sha256 = hashOf(message.body);
  const sealed = seal(db, [messageId, message.type, message.party], message.body);
  return sql`received as (
    insert into message_keys (party, message_type, sha256, message_id, created_at)
    select ${message.party}, ${message.type}, ${sha256}::bytea, ${messageId}::uuid, now() where ${condition}
    on conflict (party, message_type, sha256) do nothing
    returning message_id, created_at
  ),
  received_message as (
    insert into messages (message_id, subject_id, message_type, message_identification, direction, leg, party, status,
      reason_code, answer_url, in_reply_to, sha256, size, created_at)
    select message_id, ${message.subjectId ?? messageId}::uuid, ${message.type}, ${message.messageIdentification}, 'in',
      ${message.leg}, ${message.party}, ${message.status ?? null}, ${message.reasonCode ?? null},
      ${message.answerUrl ?? null}, ${message.inReplyTo ?? null}::uuid, ${sha256}::bytea, ${message.body.length}::int, created_at
    from received
  ),
  received_body as (
    insert into message_bodies (message_id, created_at, body, key_id)
    select message_id, created_at, ${sealed.bytes}::bytea, ${heldKeyId(sealed.keyId)} from received
  )`;
}

/** Selects the id of an earlier message with the same bytes. Served by the primary key. */
export function selectReceived({ party, type, body }: Pick<ReceivedMessage, 'party' | 'type' | 'body'>) {
  return sql<{ message_id: string }>`
    select message_id from message_keys
    where party = ${party} and message_type = ${type} and sha256 = ${hashOf(body)}`;
}

export async function isReceived(
  db: Db,
  message: Pick<ReceivedMessage, 'party' | 'type' | 'body'>,
): Promise<boolean> {
  return (await selectReceived(message).execute(db)).rows.length > 0;
}

/**
 * SQL that joins the body of a message as `b`. The columns of `b` are null if the body is no longer kept.
 * @param alias of `messages` in the statement
 */
export const joinBody = (alias: string) => {
  const of = (column: string) => sql.ref(`${alias}.${column}`);
  return sql`left join ${theOne(sql`message_bodies where message_id = ${of('message_id')} and created_at = ${of('created_at')}`)} b on true`;
};

/**
 * Stores a received message, once per party and content.
 * @returns the id of the row, and whether it is new; for the same bytes again, the id of the first row
 */
export async function recordReceived(
  db: Db,
  message: ReceivedMessage,
): Promise<{ messageId: string; isNew: boolean }> {
  const write = sql<{ message_id: string }>`
    with ${storedReceived(db, newRowId(), message)}
    select message_id from received`;
  const [inserted] = await runPrepared(db, 'record_received', write);
  if (inserted !== undefined) return { messageId: inserted.message_id, isNew: true };
  const [earlier] = (await selectReceived(message).execute(db)).rows;
  assert(earlier !== undefined, 'a message that was received is known by its bytes');
  return { messageId: earlier.message_id, isNew: false };
}

interface StoredMessage {
  /** Null: the body is no longer kept. */
  readonly body: Buffer | null;
  /** The full explanation, if the message rejects or refuses. */
  readonly refusal: string | null;
}

async function loadMessage(db: Db, messageId: string): Promise<StoredMessage | undefined> {
  const [row] = await runPrepared(
    db,
    'load_message',
    sql<BodyColumns & Pick<StoredMessage, 'refusal'>>`
      select ${bodyColumns('m')}, m.refusal
      from messages m ${joinBody('m')} where m.message_id = ${messageId}`,
  );
  return row && { body: await openBody(db, row), refusal: row.refusal };
}

export async function loadAnswer(db: Db, messageId: string): Promise<StoredMessage> {
  const answer = await loadMessage(db, messageId);
  assert(answer !== undefined, 'a message that is named is stored');
  return answer;
}

/** Like `openBody`, for a message that is to be judged. The body of such a message is still kept. */
export async function openKept(db: Db, row: BodyColumns): Promise<Buffer> {
  const body = await openBody(db, row);
  assert(body !== null, 'a message that is to be judged is kept, and so is its key (LIF-6)');
  return body;
}

/** @returns the bytes of a message; undefined: the message is unknown, or its body is no longer kept */
export async function messageBody(db: Db, messageId: string): Promise<Buffer | undefined> {
  return (await loadMessage(db, messageId))?.body ?? undefined;
}

/**
 * Stores the answer to a refused repeat, with its event. This answer is sent only in the HTTP answer.
 * @param messageId the refused message
 * @returns the id of the answer that counts, because another process may have judged the same message first
 */
export async function recordRefusal(
  db: Db,
  messageId: string,
  { answer, event }: { readonly answer: OutgoingMessage; readonly event: AuditEvent | null },
): Promise<string> {
  const { rows } = await sql`
    with refusal as (
      insert into refusals (message_id, answer_message_id) values (${messageId}, ${answer.messageId})
      on conflict (message_id) do nothing
      returning message_id
    ),
    ${storedOutgoing(db, [answer], sql`exists (select from refusal)`)},
    noted as (${insertAudit(event, sql`exists (select from refusal)`)})
    select from refusal`.execute(db);
  if (rows.length === 1) return answer.messageId;
  const standing = await sql<{ id: string }>`
    select answer_message_id as id from refusals where message_id = ${messageId}`.execute(db); // served by the primary key
  assert(standing.rows[0] !== undefined, 'a refusal that was not written has one before it');
  return standing.rows[0].id;
}

/** Whether any message has this UETR or resolution id. Served by index messages_subject_id. */
export function isOnRecord(db: Db, subjectId: string): Promise<boolean> {
  return isThere(db, sql`select from messages where subject_id = ${subjectId}::uuid limit 1`);
}
