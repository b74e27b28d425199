// What is asked for (again) of a payment's deliveries: a callback by a repeat of its source, a confirmation by a final
// of its destination, an enquiry (DUP-1, PAY-9). A delivery that is asked for again starts over, whatever has become of
// it.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { heardMs } from '../core/enquiry-schedule.ts';
import type { Db } from './connection.ts';

/** Back to the start of its schedule, whatever has happened to it. */
const askedAgain = sql`
  asked_at = clock_timestamp(), next_due_at = clock_timestamp(), attempts_since_asked = 0, claim = null,
  delivered_at = null, closed_at = null, closed_reason = null`;

/** Asks for a callback again, delivered or given up (DUP-1, CBK-1): its schedule starts over. */
export async function askCallbackAgain(db: Db, subjectId: string): Promise<void> {
  await sql`
    update deliveries set asks = asks + 1, ${askedAgain}
    where subject_id = ${subjectId} and kind = 'callback'`.execute(db);
}

/** Makes sure that the destination is told the decision (again), where its final came in an HTTP answer (PAY-9). */
export async function askConfirmation(
  db: Db,
  { uetr, messageId, party }: { readonly uetr: string; readonly messageId: string; readonly party: string },
): Promise<void> {
  await sql`
    insert into deliveries (delivery_id, subject_id, kind, message_id, party)
    values (${randomUUID()}, ${uetr}, 'confirmation', ${messageId}, ${party})
    on conflict (subject_id, kind) do update
      set asks = deliveries.asks + 1, ${askedAgain}`.execute(db);
}

/**
 * A source asks for the status of a payment that is not decided (DUP-1).
 * @returns whether the instruction goes out once more: not within 5 s of the last enquiry, which this one joins
 */
export async function askStatus(db: Db, uetr: string): Promise<boolean> {
  // index: unique (subject_id, kind); primary key of delivery_attempts
  const { rows } = await sql`
    update deliveries i
    set enquiry_asked_at = clock_timestamp(),
      enquiry_owed_since = case when enquiry_owed_since > (
          select max(coalesce(a.finished_at, a.started_at)) + ${sql.lit(heardMs)} * interval '1 millisecond'
          from delivery_attempts a where a.delivery_id = i.delivery_id)
        then enquiry_owed_since else clock_timestamp() end
    where subject_id = ${uetr} and kind = 'instruction' and closed_at is null
      and (enquiry_asked_at is null or enquiry_asked_at <= clock_timestamp() - interval '5 seconds')
    returning delivery_id`.execute(db);
  return rows.length > 0;
}

/**
 * From now on the callback goes to the address that a repeat of the submission names (DUP-1): a callback that is
 * written later gets it from callback_address(), one that exists gets it here. One that is being written is waited for.
 */
export async function nameCallbackAddress(
  db: Db,
  submission: { readonly messageId: string; readonly subjectId: string; readonly url: string },
): Promise<void> {
  const { messageId, subjectId, url } = submission;
  await sql`
    insert into callback_addresses (message_id, url)
    select ${messageId}::uuid, ${url}
    where ${url} is distinct from coalesce(
      (select url from callback_addresses where message_id = ${messageId} order by named_at desc limit 1),
      (select answer_url from messages where message_id = ${messageId}))`.execute(db);
  // A statement of its own, which sees what the first one waited for. A refused repeat names no address for the payment
  // (DUP-2).
  await sql`
    update deliveries set url = ${url} -- index: unique (subject_id, kind); primary key of payments
    where subject_id = ${subjectId} and kind = 'callback' and url is distinct from ${url}
      and ${messageId}::uuid in (subject_id, (select message_id from payments where uetr = ${subjectId}))`.execute(
    db,
  );
}
