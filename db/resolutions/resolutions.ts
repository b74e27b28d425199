// Stores resolutions. Reads a request with all that is known about it, and writes the row of its judgement,
// its enquiries, and the one row of its answer. Each write is one statement. Unique keys in the database
// prevent duplicates.
import { sql, type RawBuilder } from 'kysely';
import { assert } from '../../core/assert.ts';
import { insertAudit, type AuditEvent } from '../records/audit.ts';
import { openAndTell } from '../records/changed-messages.ts';
import type { Db } from '../pool/connection.ts';
import { joinBody, openKept, storedOutgoing, type OutgoingMessage } from '../records/messages.ts';
import { epochMs, theOne, unlessTaken, type Written } from '../pool/statements.ts';
import { bodyColumns, type BodyColumns } from '../keys/vault.ts';
import {
  countClaim,
  isNewClaim,
  openHere,
  runClaim,
  selectClaimed,
  type ClaimedAttempt,
  type DeliveryKind,
} from '../deliveries/deliveries.ts';
import { newRowId } from '../pool/row-ids.ts';

export interface StoredAnswer {
  readonly verified: boolean;
  readonly reasonCode: string | null;
  readonly answerMessageId: string;
}

export interface StoredEnquiry {
  readonly deliveryId: string;
  readonly of: 'directory' | 'creditor-agent';
  readonly destinationSystem: string;
}

export interface StoredResolution {
  readonly resolutionId: string;
  /**
   * Deadline by the database clock, in epoch milliseconds. For the record only: to wait, use `remainingMs`.
   */
  readonly deadlineAt: number;
  /** Milliseconds until the deadline, by the database clock; negative once it has passed. */
  readonly remainingMs: number;
  readonly answer: StoredAnswer | null;
  /** The latest enquiry; null if the gateway answered at once. */
  readonly enquiry: StoredEnquiry | null;
}

/** A stored acmt.023, and the records that the database has under its MsgId. */
export interface StoredRequest {
  /**
   * Opens the body of the request. An answered resolution does not need it.
   * @throws the errors of `openBody` (db/keys/vault.ts), after raising an alert if the body was changed
   */
  readonly open: () => Promise<Buffer>;
  readonly messageIdentification: string;
  readonly sourceSystem: string;
  /** Current time of the database clock, in epoch milliseconds. */
  readonly now: number;
  /** The resolution with this MsgId, made by this request or by another one. */
  readonly resolution: StoredResolution | undefined;
  /** Id of the answer that this request got before, if it was refused as a repeat. */
  readonly earlierAnswerId: string | undefined;
}

interface RequestRow
  extends BodyColumns, Pick<StoredRequest, 'messageIdentification' | 'sourceSystem' | 'now'> {
  readonly resolution: StoredResolution | null;
  readonly earlierAnswerId: string | null;
}

/**
 * SQL: milliseconds until the deadline. A duration, so that no other clock has to agree with the database
 * clock.
 */
const remainingMs = (deadlineAt: RawBuilder<unknown>) =>
  sql`(extract(epoch from ${deadlineAt} - clock_timestamp()) * 1000)::float8`;

/** SQL: the resolution `r` as JSON, from the joined rows `a` and `e`; null if there is none. */
const resolutionAsJson = sql`case when r.resolution_id is not null then jsonb_build_object(
  'resolutionId', r.resolution_id, 'deadlineAt', ${epochMs(sql`r.deadline_at`)},
  'remainingMs', ${remainingMs(sql`r.deadline_at`)},
  'answer', case when a.resolution_id is not null then jsonb_build_object(
    'verified', a.verified, 'reasonCode', a.reason_code, 'answerMessageId', a.answer_message_id) end,
  'enquiry', case when e.delivery_id is not null then jsonb_build_object('deliveryId', e.delivery_id,
    'of', case e.kind when 'directory-enquiry' then 'directory' else 'creditor-agent' end,
    'destinationSystem', e.party) end) end as resolution`;
// served by the primary key of resolution_answers and the unique index on (subject_id, kind) of deliveries; a
// resolution has at most two enquiries
const resolutionJoins = sql`
  left join resolution_answers a on a.resolution_id = r.resolution_id
  left join lateral (
    select delivery_id, kind, party from deliveries
    where subject_id = r.resolution_id and kind in ('directory-enquiry', 'account-enquiry')
    order by kind limit 1 -- 'account-enquiry' sorts first, and is the later one
  ) e on true`;

const enquiryKinds = { directory: 'directory-enquiry', 'creditor-agent': 'account-enquiry' } as const;

export async function findResolution(db: Db, resolutionId: string): Promise<StoredResolution | undefined> {
  const { rows } = await sql<{ resolution: StoredResolution }>`
    select ${resolutionAsJson} from resolutions r ${resolutionJoins}
    where r.resolution_id = ${resolutionId}`.execute(db);
  return rows[0]?.resolution;
}

export async function loadRequest(db: Db, messageId: string): Promise<StoredRequest> {
  // served by the unique index on (source_clearing_system, message_identification); index messages_in_reply_to
  // finds the earlier answer
  const { rows } = await sql<RequestRow>`
    select ${bodyColumns('m')}, m.message_identification as "messageIdentification", m.party as "sourceSystem",
      ${epochMs(sql`now()`)} as now,
      (select o.message_id from messages o where o.in_reply_to = m.message_id and o.direction = 'out' limit 1)
        as "earlierAnswerId",
      ${resolutionAsJson}
    from messages m
    ${joinBody('m')}
    left join resolutions r on r.source_clearing_system = m.party
      and r.message_identification = m.message_identification
    ${resolutionJoins}
    where m.message_id = ${messageId}`.execute(db);
  const [row] = rows;
  assert(row !== undefined, 'a request is stored before its workflow starts');
  return {
    open: () => openAndTell(db, messageId, () => openKept(db, row)),
    messageIdentification: row.messageIdentification,
    sourceSystem: row.sourceSystem,
    now: row.now,
    resolution: row.resolution ?? undefined,
    earlierAnswerId: row.earlierAnswerId ?? undefined,
  };
}

export interface NewEnquiry {
  readonly of: StoredEnquiry['of'];
  readonly deliveryId: string;
  readonly message: OutgoingMessage;
}

/**
 * @param source SQL relation: one row with the resolution's `begun_at` if the enquiry is to be written,
 *   otherwise no row
 */
function insertEnquiry(resolutionId: string, enquiry: NewEnquiry, source: RawBuilder<unknown>) {
  return sql`
    insert into deliveries (delivery_id, subject_id, begun_at, kind, message_id, party)
    select ${enquiry.deliveryId}::uuid, ${resolutionId}::uuid, begun_at, ${enquiryKinds[enquiry.of]},
      ${enquiry.message.messageId}::uuid, ${enquiry.message.party}
    from ${source}`;
}

export interface RoutedRequest {
  readonly resolutionId: string;
  readonly sourceSystem: string;
  readonly messageIdentification: string;
  readonly maxResolutionSeconds: number;
  readonly destinationCountry: string;
  readonly enquiry: NewEnquiry;
}

/**
 * Writes a resolution with its first enquiry, unless its MsgId has been taken meanwhile. The time limit
 * counts from the receipt of the request, because the source has waited since then. For a request that waited
 * long, such as a repeat after an outage, the limit counts from now.
 * @returns the times of the resolution; or that the MsgId was taken, and nothing was written
 */
export async function recordRouted(
  db: Db,
  routed: RoutedRequest,
): Promise<Written<Pick<StoredResolution, 'deadlineAt' | 'remainingMs'>>> {
  const { enquiry, resolutionId } = routed;
  const limit = sql`${routed.maxResolutionSeconds}::float8 * interval '1 second'`;
  const write = sql<Pick<StoredResolution, 'deadlineAt' | 'remainingMs'>>`
    with request as (
      select case when created_at between now() - ${limit} / 2 and now() then created_at else now() end as waits_since
      from messages where message_id = ${resolutionId}
    ),
    resolution as (
      insert into resolutions (resolution_id, source_clearing_system, message_identification, judged_at, deadline_at,
        destination_country, destination_clearing_system)
      select ${resolutionId}::uuid, ${routed.sourceSystem}, ${routed.messageIdentification}, now(),
        waits_since + ${limit}, ${routed.destinationCountry}, ${enquiry.message.party}
      from request
      returning deadline_at, judged_at as begun_at
    ),
    ${storedOutgoing(db, [enquiry.message], sql`exists (select from resolution)`)},
    asked as (${insertEnquiry(resolutionId, enquiry, sql`resolution`)})
    select ${epochMs(sql`deadline_at`)} as "deadlineAt", ${remainingMs(sql`deadline_at`)} as "remainingMs" from resolution`;
  return unlessTaken(async () => (await write.execute(db)).rows);
}

export interface NewAnswer {
  readonly resolutionId: string;
  readonly sourceSystem: string;
  readonly verified: boolean;
  readonly reasonCode: string | null;
  /** Id of the rule by which the gateway itself answers; null: another party answers. */
  readonly ruleId: string | null;
  readonly answeredBy: 'directory' | 'creditor-agent' | 'gateway';
  readonly reportMessageId: string | null;
  readonly message: OutgoingMessage;
  readonly event?: AuditEvent;
}

/**
 * SQL parts that write an answer with its message and callback, if `resolution` has a row (with `begun_at`).
 */
function answerParts(db: Db, answer: NewAnswer, resolution: RawBuilder<unknown>) {
  return sql`
    answer as (
      insert into resolution_answers (resolution_id, verified, reason_code, rule_id, answered_by,
        report_message_id, answer_message_id)
      select resolution_id, ${answer.verified}::boolean, ${answer.reasonCode}, ${answer.ruleId},
        ${answer.answeredBy}, ${answer.reportMessageId}::uuid,
        ${answer.message.messageId}::uuid
      from ${resolution}
      on conflict (resolution_id) do nothing
      returning resolution_id
    ),
    ${storedOutgoing(db, [answer.message], sql`exists (select from answer)`)},
    callback as (
      insert into deliveries (delivery_id, subject_id, begun_at, kind, message_id, party, url)
      select ${newRowId()}::uuid, resolution_id, begun_at, 'callback', ${answer.message.messageId}::uuid,
        ${answer.sourceSystem}, callback_address(resolution_id)
      from answer join ${resolution} using (resolution_id)
    ),
    told as (${insertAudit(answer.event, sql`exists (select from answer)`)})`;
}

/** Writes a resolution that the gateway answers at once, unless its MsgId has been taken meanwhile. */
export async function recordAnsweredAtOnce(
  db: Db,
  answer: NewAnswer & { readonly messageIdentification: string },
): Promise<Written<unknown>> {
  const write = sql<{ resolution_id: string }>`
    with resolution as (
      insert into resolutions (resolution_id, source_clearing_system, message_identification, judged_at, deadline_at)
      values (${answer.resolutionId}, ${answer.sourceSystem}, ${answer.messageIdentification}, now(), now())
      returning resolution_id, judged_at as begun_at
    ),
    ${answerParts(db, answer, sql`resolution`)}
    select resolution_id from answer`;
  return unlessTaken(async () => (await write.execute(db)).rows);
}

/**
 * Compare-and-set: writes the answer with its callback, and closes the enquiries to further sends.
 * @returns false if the resolution is already answered
 */
export async function recordAnswer(db: Db, answer: NewAnswer): Promise<boolean> {
  // Every attempt to send an enquiry updates the same row, so an attempt and an answer cannot miss each other.
  const { rows } = await sql<{ resolution_id: string }>`
    with enquiries as (
      update deliveries -- index: unique (subject_id, kind)
      set closed_at = coalesce(closed_at, now()), closed_reason = coalesce(closed_reason, 'answered')
      where subject_id = ${answer.resolutionId} and kind in ('directory-enquiry', 'account-enquiry')
    ),
    resolution as (
      select resolution_id, judged_at as begun_at from resolutions where resolution_id = ${answer.resolutionId}
    ),
    ${answerParts(db, answer, sql`resolution`)}
    select resolution_id from answer`.execute(db);
  return rows.length === 1;
}

/** Writes the enquiry that follows the directory's answer, unless it exists already or the resolution is answered. */
export async function recordNextEnquiry(db: Db, resolutionId: string, enquiry: NewEnquiry): Promise<void> {
  await sql`
    with directory as (
      update deliveries
      set closed_at = coalesce(closed_at, now()), closed_reason = coalesce(closed_reason, 'answered')
      where subject_id = ${resolutionId} and kind = 'directory-enquiry'
      returning begun_at
    ),
    free as (
      select begun_at from directory where not exists (select from resolution_answers where resolution_id = ${resolutionId})
        and not exists (
          select from deliveries where subject_id = ${resolutionId} and kind = ${enquiryKinds[enquiry.of]})
    ),
    ${storedOutgoing(db, [enquiry.message], sql`exists (select from free)`)}
    ${insertEnquiry(resolutionId, enquiry, sql`free`)}`.execute(db);
}

export interface StandingEnquiry {
  readonly kind: DeliveryKind;
  /** Payment system whose operator receives the enquiry. */
  readonly party: string;
  readonly messageIdentification: string;
  /**
   * Null if the enquiry cannot be sent: its body was changed or is no longer kept, or its key is missing. The
   * claim gives the reason.
   */
  readonly body: Buffer | null;
  /** Id of the stored acmt.024 that answers the enquiry; null if there is none. */
  readonly reportMessageId: string | null;
  /** Milliseconds until the resolution must be answered; 0 or less: the deadline has passed. */
  readonly remainingMs: number;
}

export async function loadEnquiry(db: Db, deliveryId: string): Promise<StandingEnquiry> {
  // served by the primary keys and index messages_in_reply_to
  const { rows } = await sql<Omit<StandingEnquiry, 'body'> & BodyColumns>`
    select d.kind, d.party, m.message_identification as "messageIdentification", ${bodyColumns('m')},
      ${remainingMs(sql`s.deadline_at`)} as "remainingMs",
      (select r.message_id from messages r where r.in_reply_to = m.message_id and r.direction = 'in'
        order by r.created_at limit 1) as "reportMessageId"
    from deliveries d join ${theOne(sql`messages where message_id = d.message_id`)} m on true ${joinBody('m')}
      join resolutions s on s.resolution_id = d.subject_id
    where d.delivery_id = ${deliveryId}`.execute(db);
  const [row] = rows;
  assert(row !== undefined, 'an enquiry is stored before it is asked');
  return { ...row, body: (await openHere(db, row)).body };
}

/**
 * Claims one send of an enquiry.
 * @param followMs milliseconds that the gateway needs after the answer
 * @param claim id generated for this send; reuse it only to repeat this call before anything is sent
 * @returns undefined if the resolution is answered, or if an answer would come too late to be used
 */
export async function claimEnquiry(
  db: Db,
  deliveryId: string,
  { followMs, claim }: { readonly followMs: number; readonly claim: string },
): Promise<ClaimedAttempt | undefined> {
  const [attempt] = await runClaim(
    db,
    'claim_enquiry',
    sql`
    with claimed as (
      update deliveries d
      set ${countClaim(claim)}, attempts_since_asked = attempts_since_asked + ${isNewClaim(claim)}
      from resolutions r
      where d.delivery_id = ${deliveryId} and d.closed_at is null and r.resolution_id = d.subject_id
        and r.deadline_at > clock_timestamp() + ${followMs}::float8 * interval '1 millisecond'
      returning d.delivery_id, d.kind, d.attempts, d.attempts_since_asked, d.asks, d.party, d.url, d.message_id, d.begun_at,
        r.deadline_at
    ),
    ${selectClaimed(sql`0::float8`, sql`${remainingMs(sql`c.deadline_at`)} - ${followMs}::float8`)}`,
  );
  return attempt;
}
