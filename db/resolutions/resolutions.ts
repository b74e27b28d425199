// Resolutions: reads a request with what is known about it, and writes the row of its judgement, its enquiries, and the
// one row of its answer. Each write is one statement. The unique keys of the database decide about duplicates.
import { randomUUID } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import { assert } from '../../core/assert.ts';
import { mapValue } from '../../core/result.ts';
import { insertAudit, type AuditEvent } from '../records/audit.ts';
import { openAndTell } from '../records/changed-messages.ts';
import type { Db } from '../pool/connection.ts';
import { joinBody, openKept, storedOutgoing, type OutgoingMessage } from '../records/messages.ts';
import { unlessTaken, type Written } from '../pool/unless-taken.ts';
import { bodyColumns, type BodyColumns } from '../keys/vault.ts';

/** The answer of a resolution. */
export interface StoredAnswer {
  readonly verified: boolean;
  readonly reasonCode: string | null;
  readonly answerMessageId: string;
}

/** The last enquiry, and who was asked. */
export interface StoredEnquiry {
  readonly deliveryId: string;
  readonly of: 'directory' | 'creditor-agent';
  readonly destinationSystem: string;
}

export interface StoredResolution {
  readonly resolutionId: string;
  /** Database clock, epoch milliseconds. For the record only: wait by `remainingMs`. */
  readonly deadlineAt: number;
  /** Milliseconds until the deadline, by the database clock; negative once it has passed. */
  readonly remainingMs: number;
  readonly answer: StoredAnswer | null;
  /** Null if the gateway answered at once. */
  readonly enquiry: StoredEnquiry | null;
}

/** A stored acmt.023, and what the database has under its MsgId. */
export interface StoredRequest {
  /**
   * Opens its body. An answered resolution does not need it.
   * @throws as `openBody` (db/keys/vault.ts), after raising an alert if the body was changed
   */
  readonly open: () => Promise<Buffer>;
  readonly messageIdentification: string;
  readonly sourceSystem: string;
  /** Database clock, epoch milliseconds. */
  readonly now: number;
  /** The resolution with this MsgId, made by this request or by another. */
  readonly resolution: StoredResolution | undefined;
  /** The answer that this request got before, if it was refused as a repeat. */
  readonly earlierAnswerId: string | undefined;
}

interface ResolutionRow {
  resolution_id: string | null;
  deadline_at: Date;
  remaining_ms: number;
  verified: boolean | null;
  reason_code: string | null;
  answer_message_id: string;
  delivery_id: string | null;
  kind: string | null;
  enquired: string;
}

interface RequestRow extends ResolutionRow, BodyColumns {
  message_identification: string;
  party: string;
  now: Date;
  earlier_answer_id: string | null;
}

/** Returns times as durations, so that no other clock has to agree with the database clock. */
function remaining(deadlineAt: RawBuilder<unknown>) {
  return sql`(extract(epoch from ${deadlineAt} - clock_timestamp()) * 1000)::float8 as remaining_ms`;
}

/**
 * Columns of a resolution with its answer and last enquiry. The statement must have `r`, and `a` and `e` of the joins.
 */
const resolutionColumns = sql`
  r.resolution_id, r.deadline_at, ${remaining(sql`r.deadline_at`)}, a.verified, a.reason_code, a.answer_message_id, e.delivery_id, e.kind,
  e.party as enquired`;
// primary key of resolution_answers; unique (subject_id, kind) of deliveries, which has at most two enquiries
const resolutionJoins = sql`
  left join resolution_answers a on a.resolution_id = r.resolution_id
  left join lateral (
    select delivery_id, kind, party from deliveries
    where subject_id = r.resolution_id and kind in ('directory-enquiry', 'account-enquiry')
    order by kind limit 1 -- 'account-enquiry' sorts first, and is the later one
  ) e on true`;

const enquiryKinds = { directory: 'directory-enquiry', 'creditor-agent': 'account-enquiry' } as const;

function toResolution(row: ResolutionRow): StoredResolution | undefined {
  if (row.resolution_id === null) return undefined;
  return {
    resolutionId: row.resolution_id,
    deadlineAt: row.deadline_at.getTime(),
    remainingMs: row.remaining_ms,
    answer:
      row.verified === null
        ? null
        : { verified: row.verified, reasonCode: row.reason_code, answerMessageId: row.answer_message_id },
    enquiry:
      row.delivery_id === null
        ? null
        : {
            deliveryId: row.delivery_id,
            of: row.kind === enquiryKinds.directory ? 'directory' : 'creditor-agent',
            destinationSystem: row.enquired,
          },
  };
}

/** Finds the resolution of a stored request. */
export async function findResolution(db: Db, resolutionId: string): Promise<StoredResolution | undefined> {
  const { rows } = await sql<ResolutionRow>`
    select ${resolutionColumns} from resolutions r ${resolutionJoins}
    where r.resolution_id = ${resolutionId}`.execute(db);
  return rows[0] && toResolution(rows[0]);
}

/** Reads a stored request, with the resolution that it may repeat. */
export async function loadRequest(db: Db, messageId: string): Promise<StoredRequest> {
  // unique (source_clearing_system, message_identification) of resolutions; messages_in_reply_to for the earlier answer
  const { rows } = await sql<RequestRow>`
    select ${bodyColumns('m')}, m.message_identification, m.party, now() as now,
      (select o.message_id from messages o where o.in_reply_to = m.message_id and o.direction = 'out' limit 1)
        as earlier_answer_id,
      ${resolutionColumns}
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
    messageIdentification: row.message_identification,
    sourceSystem: row.party,
    now: row.now.getTime(),
    resolution: toResolution(row),
    earlierAnswerId: row.earlier_answer_id ?? undefined,
  };
}

/** A message to a proxy directory or a creditor agent. */
export interface NewEnquiry {
  readonly of: StoredEnquiry['of'];
  readonly deliveryId: string;
  readonly message: OutgoingMessage;
}

/** @param source has one row if it is to be written, with `begun_at` of the resolution */
function insertEnquiry(resolutionId: string, enquiry: NewEnquiry, source: RawBuilder<unknown>) {
  return sql`
    insert into deliveries (delivery_id, subject_id, begun_at, kind, message_id, party)
    select ${enquiry.deliveryId}::uuid, ${resolutionId}::uuid, begun_at, ${enquiryKinds[enquiry.of]},
      ${enquiry.message.messageId}::uuid, ${enquiry.message.party}
    from ${source}`;
}

/** A valid request and its first enquiry. */
export interface RoutedRequest {
  readonly resolutionId: string;
  readonly sourceSystem: string;
  readonly messageIdentification: string;
  readonly maxResolutionSeconds: number;
  readonly destinationCountry: string;
  readonly enquiry: NewEnquiry;
}

/**
 * Writes a resolution with its first enquiry, unless its MsgId has been taken meanwhile. The time limit counts from the
 * receipt of the request, because the source has waited since then. For a request that waited long (a repeat after an
 * outage) it counts from now.
 * @returns its times; or that the MsgId was taken, and nothing was written
 */
export async function recordRouted(
  db: Db,
  routed: RoutedRequest,
): Promise<Written<Pick<StoredResolution, 'deadlineAt' | 'remainingMs'>>> {
  const { enquiry, resolutionId } = routed;
  const limit = sql`${routed.maxResolutionSeconds}::float8 * interval '1 second'`;
  const write = sql<Pick<ResolutionRow, 'deadline_at' | 'remaining_ms'>>`
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
    select deadline_at, ${remaining(sql`deadline_at`)} from resolution`;
  return mapValue(
    await unlessTaken(async () => (await write.execute(db)).rows),
    ({ deadline_at: deadline, remaining_ms: remainingMs }) => ({
      deadlineAt: deadline.getTime(),
      remainingMs,
    }),
  );
}

/** A new answer of a resolution, with its message. */
export interface NewAnswer {
  readonly resolutionId: string;
  readonly sourceSystem: string;
  readonly verified: boolean;
  readonly reasonCode: string | null;
  /** Rule by which the gateway itself answers, or null. */
  readonly ruleId: string | null;
  readonly answeredBy: 'directory' | 'creditor-agent' | 'gateway';
  readonly reportMessageId: string | null;
  readonly message: OutgoingMessage;
  /** Written together with the answer, if any. */
  readonly event?: AuditEvent;
}

/**
 * Parts of a statement that write an answer with its message and callback, if `resolution` has a row (with `begun_at`).
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
      select ${randomUUID()}::uuid, resolution_id, begun_at, 'callback', ${answer.message.messageId}::uuid,
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
 * @returns false if there is an answer already
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
