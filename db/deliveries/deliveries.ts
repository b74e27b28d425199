// Stores deliveries and their attempts. One statement claims an attempt and commits before the worker opens a
// socket. Another statement settles the attempt: it records the result. An attempt that is never settled
// counts as MAYBE_SENT, and its delivery becomes due again. Only the claimant knows the id of its claim. If
// the database's answer to a claim is lost, the claimant has sent nothing. It repeats the call with the same
// id and gets the same claim.
import { sql, type RawBuilder } from 'kysely';
import { eventKinds, type EventKind } from '../../core/operations/event-kinds.ts';
import { isOwnFault } from '../../core/deliveries/delivery-schedule.ts';
import type { Db } from '../pool/connection.ts';
import { isThere, runPrepared, theOne } from '../pool/statements.ts';
import { joinBody } from '../records/messages.ts';
import { sealExcerpt } from './excerpts.ts';
import { SealingKeyMissing } from '../pool/failures.ts';
import { bodyColumns, heldKeyId, openUnchanged, type BodyColumns } from '../keys/vault.ts';

export type AttemptOutcome = 'NOT_SENT' | 'MAYBE_SENT' | 'ANSWERED';

/**
 * Kinds of delivery that follow a decision, an answer or the end of a day. The worker retries them until the
 * receiver acknowledges them, or their time is over.
 */
export const toldKinds = ['callback', 'confirmation', 'notification', 'book'] as const;
export type ToldKind = (typeof toldKinds)[number];
type AskedKind = 'instruction' | 'directory-enquiry' | 'account-enquiry';
export type DeliveryKind = ToldKind | AskedKind;

export interface ClaimedAttempt {
  readonly deliveryId: string;
  readonly kind: DeliveryKind;
  readonly attempt: number;
  /** Number of the attempt in the retry schedule of CBK-1, or in the round of TIM-3; from 1. */
  readonly attemptSinceAsked: number;
  readonly asks: number;
  /** Milliseconds since the delivery was last requested, by the database clock. */
  readonly elapsedMs: number;
  /** Milliseconds left in which the message may be sent, by the database clock; null: no limit. */
  readonly remainingMs: number | null;
  readonly party: string;
  /** Address of a callback; null for other kinds. */
  readonly url: string | null;
  readonly messageIdentification: string;
  readonly messageId: string;
  /**
   * Null if the message cannot be sent: its stored body was changed or deleted, or this process lacks a key
   * of SEALING_KEYS. In the last case `missingKey` is the id of the key.
   */
  readonly body: Buffer | null;
  readonly missingKey?: string;
}

/** Seconds until a claimed delivery is due again. Longer than the longest attempt (10 s). */
export const claimSeconds = 15;

/** The row that a claim returns: `ClaimedAttempt` with the body as stored. */
type ClaimRow = Omit<ClaimedAttempt, 'body' | 'missingKey'> & BodyColumns;

/** Runs a statement that ends in `selectClaimed`. */
export async function runClaim(
  db: Db,
  name: string,
  statement: RawBuilder<unknown>,
): Promise<readonly ClaimedAttempt[]> {
  const rows = (await runPrepared(db, name, statement)) as readonly ClaimRow[];
  return Promise.all(rows.map(async (row) => ({ ...row, ...(await openHere(db, row)) })));
}

/**
 * Opens the body. A missing key does not throw: the claim is committed, so the caller must settle it like any
 * other.
 */
export async function openHere(
  db: Db,
  row: BodyColumns,
): Promise<Pick<ClaimedAttempt, 'body' | 'missingKey'>> {
  try {
    return { body: await openUnchanged(db, row) };
  } catch (error) {
    if (!(error instanceof SealingKeyMissing) || error.keyId === undefined) throw error;
    return { body: null, missingKey: error.keyId };
  }
}

/** SQL: 1 for a new claim; 0 if the claim is stored already, because its first answer was lost. */
export const isNewClaim = (claim: string) => sql`(case when claim = ${claim}::uuid then 0 else 1 end)`;

/**
 * SQL for an update of `deliveries`: counts the attempt as possibly sent, unless the same claim was counted
 * before.
 */
export const countClaim = (claim: string) => {
  const isNew = isNewClaim(claim);
  return sql`claim = ${claim}::uuid, attempts = attempts + ${isNew}, possibly_sent = possibly_sent + ${isNew}`;
};

/**
 * The last part of a statement that claims attempts. Reads the claimed deliveries from `claimed`. Inserts a
 * row for each attempt before any socket opens. A repeated claim has its rows already.
 */
export const selectClaimed = (elapsedMs: RawBuilder<unknown>, remainingMs: RawBuilder<unknown>) => sql`
  intent as (
    insert into delivery_attempts (delivery_id, attempt, begun_at) select delivery_id, attempts, begun_at from claimed -- seam: intent-row
    on conflict do nothing)
  select c.delivery_id as "deliveryId", c.kind, c.attempts as attempt, c.attempts_since_asked as "attemptSinceAsked", c.asks,
    c.party, c.url, c.message_id as "messageId", m.message_identification as "messageIdentification",
    ${elapsedMs} as "elapsedMs", ${remainingMs} as "remainingMs", ${bodyColumns('m')}
  from claimed c join ${theOne(sql`messages where message_id = c.message_id`)} m on true ${joinBody('m')}`;

/**
 * SQL: whether operators recorded that the payment was not credited. Nothing may be sent then, because the
 * destination might credit it.
 */
export const isSettledUncredited = (uetr: RawBuilder<unknown>) => sql`exists (
  select from recorded_outcomes settled -- index recorded_outcomes_standing
  where settled.uetr = ${uetr} and settled.withdrawn_at is null and settled.status <> 'ACCC')`;

/**
 * Claims one send of an instruction: the first one, or a repeat that enquires about the payment.
 * @param round name of the round; attempts are counted from 1 in each round
 * @param claim id generated for this send; reuse it only to repeat this call before anything is sent
 * @returns undefined if nothing may be sent any longer: the payment is decided, its deadline has passed, or
 *   operators recorded that it was not credited. An existing claim is returned even then. If the payment is
 *   decided, its `remainingMs` is 0, so that the caller settles it as NOT_SENT.
 */
export async function claimInstruction(
  db: Db,
  deliveryId: string,
  { round, claim }: { readonly round: string; readonly claim: string },
): Promise<ClaimedAttempt | undefined> {
  // every look-up uses a primary key
  const statement = sql`
    with claimed as (
      update deliveries d
      set ${countClaim(claim)}, round = ${round},
        attempts_since_asked = case when round = ${round} then attempts_since_asked + ${isNewClaim(claim)} else 1 end
      from (
        select (extract(epoch from deadline_at - clock_timestamp()) * 1000)::float8 as remaining_ms
        from (
          select p.deadline_at from ${theOne(sql`deliveries where delivery_id = ${deliveryId}`)} i
            join ${theOne(sql`payments where uetr = i.subject_id and begun_at = i.begun_at`)} p on true
        ) due
      ) deadline
      where d.delivery_id = ${deliveryId}
        and (d.claim = ${claim}::uuid
          or (d.closed_at is null and (remaining_ms is null or remaining_ms > 0) and not ${isSettledUncredited(sql`d.subject_id`)})) -- seam: claim-open
      returning d.delivery_id, d.kind, d.attempts, d.attempts_since_asked, d.asks, d.party, d.url, d.message_id, d.begun_at,
        case when d.closed_at is null then remaining_ms else 0 end as remaining_ms -- seam: claim-time
    ),
    ${selectClaimed(sql`0::float8`, sql`c.remaining_ms`)}`;
  const [attempt] = await runClaim(db, 'claim_instruction', statement);
  return attempt;
}

/** SQL: the receiver has not acknowledged the delivery, and it was not given up. */
export const isOpen = sql`delivered_at is null and closed_at is null`;

/** SQL: the delivery was given up, and the receiver has not acknowledged it afterwards. */
export const isDead = sql`delivered_at is null and closed_at is not null`;

/**
 * SQL: deliveries of this kind end when they are acknowledged or given up. Deliveries of other kinds end with
 * the answer or the decision.
 */
export const isOfToldKind = sql`kind in (${sql.join(toldKinds.map((kind) => sql.lit(kind)))})`;

/** SQL for the day (UTC) of a book, as in `2026-11-21`. */
export const bookDay = (from: RawBuilder<unknown>) => sql`to_char(${from} at time zone 'UTC', 'YYYY-MM-DD')`;

export interface OpenDelivery {
  readonly deliveryId: string;
  readonly kind: ToldKind;
  readonly party: string;
  /** Address of a callback; null for other kinds. */
  readonly url: string | null;
  /** Milliseconds until the next attempt is due; 0 or less: it is due now. */
  readonly dueInMs: number;
  readonly elapsedMs: number;
}

/** Lists the deliveries of a payment or resolution that their receivers have not acknowledged yet. */
export async function listOpen(db: Db, subjectId: string): Promise<readonly OpenDelivery[]> {
  const select = sql<OpenDelivery>`
    select delivery_id as "deliveryId", kind, party, url,
      (extract(epoch from next_due_at - clock_timestamp()) * 1000)::float8 as "dueInMs",
      (extract(epoch from clock_timestamp() - asked_at) * 1000)::float8 as "elapsedMs"
    from deliveries -- index: unique (subject_id, kind)
    where subject_id = ${subjectId} and ${isOfToldKind} and ${isOpen}`;
  return runPrepared(db, 'list_open', select);
}

/**
 * Claims those of the given deliveries that are due and not claimed.
 * @param claim id generated for these attempts; reuse it only to repeat this call before anything is sent
 */
export function claimDue(
  db: Db,
  deliveryIds: readonly string[],
  claim: string,
): Promise<readonly ClaimedAttempt[]> {
  const statement = sql`
    with claimed as (
      update deliveries -- primary key
      set ${countClaim(claim)}, attempts_since_asked = attempts_since_asked + ${isNewClaim(claim)},
        next_due_at = clock_timestamp() + ${sql.lit(claimSeconds)} * interval '1 second'
      where delivery_id = any(${deliveryIds}::uuid[]) and ${isOpen}
        and (next_due_at <= clock_timestamp() or claim = ${claim}::uuid)
      returning delivery_id, kind, attempts, attempts_since_asked, asks, asked_at, party, url, message_id, begun_at
    ),
    ${selectClaimed(sql`(extract(epoch from clock_timestamp() - c.asked_at) * 1000)::float8`, sql`null::float8`)}`;
  return runClaim(db, 'claim_due', statement);
}

export type Following =
  /** delivered: the receiver acknowledged it; retry: due again; closed: given up, for a reason that operators see. */
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly inMs: number }
  | { readonly kind: 'closed'; readonly reason: string };

export interface SettledAttempt {
  readonly deliveryId: string;
  readonly attempt: number;
  /**
   * `asks` as the claim returned it. If the delivery was requested again since then, this attempt does not
   * change the schedule.
   */
  readonly asks: number;
  /** Address to which the message was sent, or would have been sent. */
  readonly url: string | null;
  readonly outcome: AttemptOutcome;
  readonly httpStatus: number | null;
  readonly durationMs: number;
  readonly errorClass: string | null;
  /** At most 1 KiB of the body of a non-2xx answer. */
  readonly responseExcerpt: string | null;
  readonly next: Following;
}

const givenUp = 'delivery.dead-letter' satisfies EventKind;
const takenAfterAll = 'delivery.taken-after-all' satisfies EventKind;

/**
 * Writes the audit events of the deliveries in `ended`. Each event has the data that an operator needs to
 * act: the subject, and the decision or the book page that the receiver lacks.
 */
const insertEnds = (isGivenUp: RawBuilder<unknown>) => sql`
  insert into audit_events (severity, kind, subject_id, party, detail)
  select case when ${isGivenUp} then ${sql.lit(eventKinds[givenUp])} else ${sql.lit(eventKinds[takenAfterAll])} end,
    case when ${isGivenUp} then ${sql.lit(givenUp)} else ${sql.lit(takenAfterAll)} end, ended.subject_id, ended.party,
    jsonb_strip_nulls(jsonb_build_object('deliveryId', ended.delivery_id, 'kind', ended.kind, 'reason', ended.reason,
      'about', case when ended.kind = 'book' then 'book' when r.resolution_id is null then 'payment' else 'resolution' end,
      'status', d.status, 'reasonCode', d.reason_code,
      'book', b.book, 'day', ${bookDay(sql.ref('b.period_from'))}, 'page', b.page))
  from ended -- primary keys
    left join ${theOne(sql`decisions where uetr = ended.subject_id`)} d on true
    left join book_pages b on b.book_page_id = ended.subject_id
    left join resolutions r on r.resolution_id = ended.subject_id`;

/**
 * Records how an attempt ended, and schedules the next attempt or ends the delivery. Giving up writes an
 * alert. A 2xx counts even after the delivery was given up, because the receiver has the message. The
 * delivery is then no longer a dead letter, and an event says so. The alert stays open until an operator
 * closes it.
 */
export async function settleAttempt(db: Db, settled: SettledAttempt): Promise<void> {
  const { next } = settled;
  const excerpt = sealExcerpt(db, settled);
  const notSent = settled.outcome === 'NOT_SENT' ? 1 : 0;
  const usedUp = isOwnFault(settled.outcome, settled.errorClass) ? 0 : 1;
  const is = (kind: Following['kind']) => sql`(${next.kind === kind}::boolean and asks = ${settled.asks})`;
  const isGivenUp = sql`(${is('closed')} and ${isOpen})`;
  const isTakenAfterAll = sql`(${is('delivered')} and ${isOfToldKind})`;
  const write = sql`
    with attempt as (
      update delivery_attempts
      set finished_at = clock_timestamp(), outcome = ${settled.outcome}, http_status = ${settled.httpStatus},
        duration_ms = ${settled.durationMs}, error_class = ${settled.errorClass},
        response_excerpt = ${excerpt.text}, excerpt_key_id = ${heldKeyId(excerpt.keyId)}, url = ${settled.url}
      where delivery_id = ${settled.deliveryId} and attempt = ${settled.attempt} and outcome is null
      returning delivery_id
    ),
    settled as (
      update deliveries
      set possibly_sent = possibly_sent - ${notSent}::int,
        attempts_since_asked = attempts_since_asked
          - case when attempts = ${settled.attempt} and asks = ${settled.asks} then 1 - ${usedUp}::int else 0 end,
        delivered_at = case when ${is('delivered')} then clock_timestamp() else delivered_at end,
        closed_at = case when ${isGivenUp} then clock_timestamp() when ${isTakenAfterAll} then null else closed_at end,
        closed_reason = case when ${isGivenUp} then ${next.kind === 'closed' ? next.reason : null}
          when ${isTakenAfterAll} then null else closed_reason end,
        next_due_at = case when ${is('retry')} and attempts = ${settled.attempt} -- otherwise a later attempt has begun
          then clock_timestamp() + ${next.kind === 'retry' ? next.inMs : 0} * interval '1 millisecond'
          else next_due_at end
      where delivery_id = (select delivery_id from attempt)
      returning deliveries.delivery_id, subject_id, kind, party, closed_at is not null as is_closed,
        old.closed_at is not null as was_closed, coalesce(closed_reason, old.closed_reason) as reason
    ),
    ended as (select * from settled where is_closed <> was_closed)
    ${insertEnds(sql`is_closed`)}`;
  await runPrepared(db, 'settle_attempt', write);
}

/** Postpones a due delivery until the circuit breaker of its receiver lets a probe through. */
export async function deferDelivery(db: Db, deliveryId: string, inMs: number): Promise<void> {
  await sql`
    update deliveries set next_due_at = clock_timestamp() + ${inMs} * interval '1 millisecond'
    where delivery_id = ${deliveryId} and ${isOpen}
      and next_due_at <= clock_timestamp()`.execute(db);
}

/**
 * Gives up a due delivery whose time for attempts is over, and writes an alert.
 * @returns false if the delivery has already ended, or an attempt is under way
 */
export function expireDelivery(db: Db, deliveryId: string): Promise<boolean> {
  return isThere(
    db,
    sql`
    with ended as (
      update deliveries set closed_at = clock_timestamp(), closed_reason = 'expired'
      where delivery_id = ${deliveryId} and ${isOpen}
        and next_due_at <= clock_timestamp()
      returning delivery_id, subject_id, kind, party, closed_reason as reason
    )
    ${insertEnds(sql`true`)}
    returning audit_event_id`,
  );
}
