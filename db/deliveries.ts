// Deliveries and their attempts (CBK-1, CBK-4, TIM-3): an attempt is claimed by one statement, committed before the
// socket opens, and settled by another. A claim that is never settled counts as MAYBE_SENT and is due again later.
import { sql } from 'kysely';
import type { Db } from './connection.ts';
import { runPrepared } from './prepared.ts';

/** How an attempt ended (TIM-3). */
export type AttemptOutcome = 'NOT_SENT' | 'MAYBE_SENT' | 'ANSWERED';

/** An attempt that may now be made. */
export interface ClaimedAttempt {
  readonly deliveryId: string;
  readonly kind:
    'instruction' | 'callback' | 'confirmation' | 'notification' | 'directory-enquiry' | 'account-enquiry';
  readonly attempt: number;
  /** Position in the schedule of CBK-1, from 1. */
  readonly attemptSinceAsked: number;
  /** Epoch milliseconds: when the delivery was (last) asked for. */
  readonly askedAt: number;
  readonly party: string;
  readonly url: string;
  /** Its MsgId. */
  readonly messageIdentification: string;
  readonly messageId: string;
  readonly body: Buffer;
}

interface ClaimRow {
  delivery_id: string;
  kind: ClaimedAttempt['kind'];
  attempts: number;
  attempts_since_asked: number;
  asked_at: Date;
  party: string;
  url: string;
  message_identification: string;
  message_id: string;
  body: Buffer;
}

const claimSeconds = 15; // longer than any attempt may take (SEC-5: 10 s)

function toAttempt(row: ClaimRow): ClaimedAttempt {
  return {
    deliveryId: row.delivery_id,
    kind: row.kind,
    attempt: row.attempts,
    attemptSinceAsked: row.attempts_since_asked,
    askedAt: row.asked_at.getTime(),
    party: row.party,
    url: row.url,
    messageIdentification: row.message_identification,
    messageId: row.message_id,
    body: row.body,
  };
}

/**
 * Claims one send of an instruction or of an enquiry; undefined once the payment is decided or the resolution answered:
 * nothing may leave any more.
 */
export async function claimInstruction(db: Db, deliveryId: string): Promise<ClaimedAttempt | undefined> {
  const claim = sql<ClaimRow>`
    with claimed as (
      update deliveries
      set attempts = attempts + 1, attempts_since_asked = attempts_since_asked + 1, possibly_sent = possibly_sent + 1
      where delivery_id = ${deliveryId} and closed_at is null
      returning delivery_id, kind, attempts, attempts_since_asked, asked_at, party, url, message_id
    ),
    intent as (
      insert into delivery_attempts (delivery_id, attempt) select delivery_id, attempts from claimed
    )
    select claimed.*, m.message_identification, m.body
    from claimed join messages m on m.message_id = claimed.message_id`;
  const [row] = await runPrepared(db, 'claim_instruction', claim);
  return row && toAttempt(row);
}

/** What is due of a payment or resolution, claimed. */
export interface ClaimedDeliveries {
  readonly attempts: readonly ClaimedAttempt[];
  /** Whether no other delivery of it was waiting at that moment; unknown where nothing was due. */
  readonly areAll: boolean;
}

/** Claims every delivery of a payment or resolution that is due now. */
export async function claimDue(db: Db, uetr: string): Promise<ClaimedDeliveries> {
  const claim = sql<ClaimRow & { others: boolean }>`
    with claimed as (
      update deliveries -- index: unique (uetr, kind)
      set attempts = attempts + 1, attempts_since_asked = attempts_since_asked + 1, possibly_sent = possibly_sent + 1,
        next_due_at = now() + ${sql.lit(claimSeconds)} * interval '1 second'
      where uetr = ${uetr} and kind in ('callback', 'confirmation', 'notification') and delivered_at is null
        and closed_at is null and next_due_at <= now()
      returning delivery_id, kind, attempts, attempts_since_asked, asked_at, party, url, message_id
    ),
    intent as (
      insert into delivery_attempts (delivery_id, attempt) select delivery_id, attempts from claimed
    )
    select claimed.*, m.message_identification, m.body,
      exists (
        select from deliveries o
        where o.uetr = ${uetr} and o.kind in ('callback', 'confirmation', 'notification')
          and o.delivered_at is null and o.closed_at is null and o.next_due_at > now()
      ) as others
    from claimed join messages m on m.message_id = claimed.message_id`;
  const rows = await runPrepared(db, 'claim_due', claim);
  return { attempts: rows.map(toAttempt), areAll: rows[0]?.others === false };
}

/** Milliseconds until the next delivery of a payment or resolution is due; undefined when none is waiting. */
export async function nextDueInMs(db: Db, uetr: string): Promise<number | undefined> {
  const select = sql<{ wait_ms: string | null }>`
    select ceil(extract(epoch from min(next_due_at) - clock_timestamp()) * 1000) as wait_ms
    from deliveries
    where uetr = ${uetr} and kind in ('callback', 'confirmation', 'notification') and delivered_at is null
      and closed_at is null`;
  const [row] = await runPrepared(db, 'next_due', select);
  const wait = row?.wait_ms ?? null;
  return wait === null ? undefined : Math.max(0, Number(wait));
}

export interface SettledAttempt {
  readonly deliveryId: string;
  readonly attempt: number;
  readonly outcome: AttemptOutcome;
  readonly httpStatus: number | null;
  readonly durationMs: number;
  readonly errorClass: string | null;
  /** At most 1 KiB of an answer other than 2xx (CBK-4). */
  readonly responseExcerpt: string | null;
  /** delivered: acknowledged; retry: due again; closed: given up. */
  readonly next:
    | { readonly kind: 'delivered' }
    | { readonly kind: 'retry'; readonly inMs: number }
    | { readonly kind: 'closed'; readonly reason: string };
}

/** Records how an attempt ended and what follows for its delivery. */
export async function settleAttempt(db: Db, settled: SettledAttempt): Promise<void> {
  const { next } = settled;
  const notSent = settled.outcome === 'NOT_SENT' ? 1 : 0;
  const write = sql`
    with attempt as (
      update delivery_attempts
      set finished_at = clock_timestamp(), outcome = ${settled.outcome}, http_status = ${settled.httpStatus},
        duration_ms = ${settled.durationMs}, error_class = ${settled.errorClass},
        response_excerpt = ${settled.responseExcerpt}
      where delivery_id = ${settled.deliveryId} and attempt = ${settled.attempt} and outcome is null
      returning delivery_id
    )
    update deliveries
    set possibly_sent = possibly_sent - ${notSent}::int,
      delivered_at = case when ${next.kind === 'delivered'}::boolean then clock_timestamp() else delivered_at end,
      closed_at = case when ${next.kind === 'closed'}::boolean then clock_timestamp() else closed_at end,
      closed_reason = case when ${next.kind === 'closed'}::boolean
        then ${next.kind === 'closed' ? next.reason : null} else closed_reason end,
      next_due_at = case when ${next.kind === 'retry'}::boolean
        then clock_timestamp() + ${next.kind === 'retry' ? next.inMs : 0} * interval '1 millisecond'
        else next_due_at end
    where delivery_id = (select delivery_id from attempt)`;
  await runPrepared(db, 'settle_attempt', write);
}

/**
 * Asks for a delivery again, delivered or given up (DUP-1, CBK-1): its schedule starts anew.
 * @returns whether the payment has such a delivery
 */
export async function askAgain(db: Db, uetr: string, kind: 'callback' | 'notification'): Promise<boolean> {
  const { rows } = await sql`
    update deliveries
    set asked_at = now(), next_due_at = now(), attempts_since_asked = 0, delivered_at = null, closed_at = null,
      closed_reason = null
    where uetr = ${uetr} and kind = ${kind}
    returning delivery_id`.execute(db);
  return rows.length > 0;
}

/** Makes sure that the destination is told the decision (again), where its final came in an HTTP answer (PAY-9). */
export async function askConfirmation(
  db: Db,
  confirmation: { deliveryId: string; uetr: string; messageId: string; party: string; url: string },
): Promise<void> {
  await sql`
    insert into deliveries (delivery_id, uetr, kind, message_id, party, url)
    values (${confirmation.deliveryId}, ${confirmation.uetr}, 'confirmation', ${confirmation.messageId},
      ${confirmation.party}, ${confirmation.url})
    on conflict (uetr, kind) do update
      set asked_at = now(), next_due_at = now(), attempts_since_asked = 0, delivered_at = null, closed_at = null,
        closed_reason = null`.execute(db);
}
