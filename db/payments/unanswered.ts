// Finds messages of sources that got no answer: submissions that were not judged, resolutions past their
// deadline, and submissions that a defect in our code kept from being answered.
import { sql, type RawBuilder } from 'kysely';
import { insertAudit, recordAudit } from '../records/audit.ts';
import type { Db } from '../pool/connection.ts';
import { isFound } from '../pool/statements.ts';
import { ago, hasAged, paged, sliceRows, type Place } from '../pool/paged.ts';

export interface UnjudgedSubmission {
  readonly messageId: string;
  readonly type: 'pacs008' | 'acmt023';
  readonly messageIdentification: string;
  /** The UETR; for an acmt.023 its message id, which is the id of the resolution. */
  readonly subjectId: string;
  readonly sourceSystem: string;
}

/**
 * SQL over a submission `m`: whether it was judged. Served by index messages_in_reply_to and primary keys.
 */
export const isJudged = sql`(${isFound(sql`messages a where a.in_reply_to = m.message_id`)}
  or ${isFound(sql`payments p where p.uetr = m.subject_id and p.message_id = m.message_id`)}
  or ${isFound(sql`resolutions r where r.resolution_id = m.message_id`)})`;

const unanswerable = 'message.unanswerable'; // kind of the first event, which alerts an operator
const unanswerableAgain = 'message.unanswerable-again'; // kind of each further event

/** SQL: the events about failed attempts to answer a message. Served by index audit_events_subject_id. */
const triesOf = (subjectId: RawBuilder<unknown>, messageId: RawBuilder<unknown>) => sql`
  audit_events e where e.subject_id = ${subjectId} and e.kind in (${sql.lit(unanswerable)}, ${sql.lit(unanswerableAgain)})
  and e.detail ->> 'messageId' = ${messageId}::text`;

/** SQL over a submission `m`: the events about failed attempts to answer it. */
export const triesOfSubmission = triesOf(sql`m.subject_id`, sql`m.message_id`);
const countOfTries = sql`(select count(*)::int from ${triesOfSubmission})`;

/**
 * SQL: whether this worker has tried and failed. It does not try again, but a worker that starts later may
 * run fixed code.
 */
const hasTried = (tries: RawBuilder<unknown>, workerId: string) =>
  isFound(sql`${tries} and e.detail ->> 'workerId' = ${workerId}`);

/** The submissions that the sweep of one worker looks at. */
interface Window {
  readonly withinMs: number;
  /** Minimum age. The process that took in a younger submission is still working on it. */
  readonly graceMs: number;
  /** Id of the worker that sweeps. The sweep skips submissions that this worker has failed to answer. */
  readonly workerId: string;
}

export function findUnjudged(
  db: Db,
  { withinMs, graceMs, workerId }: Window,
  from?: Place,
): AsyncIterable<UnjudgedSubmission & Place> {
  return paged(
    // served by index messages_submitted
    (after) =>
      sql<UnjudgedSubmission & Place & { isLeft: boolean }>`
        select m.message_id as "messageId", m.message_type as type, m.subject_id as "subjectId",
          m.message_identification as "messageIdentification", m.party as "sourceSystem", m.created_at::text as at,
          m.message_id as id,
          not ${isJudged} and not ${hasTried(triesOfSubmission, workerId)} as "isLeft"
        from messages m
        where m.direction = 'in' and m.leg = 'source'
          and m.created_at > ${ago(withinMs)} and ${hasAged(sql`m.created_at`, graceMs)}
          and (m.created_at, m.message_id) > (${after.at}::timestamptz, ${after.id}::uuid)
        order by m.created_at, m.message_id
        limit ${sql.lit(sliceRows)}`.execute(db),
    sliceRows,
    from,
  );
}

/** How often a defect in our code has kept a submission from being answered. */
export async function timesUnanswerable(db: Db, messageId: string): Promise<number> {
  const { rows } = await sql<{ times: number }>`
    select ${countOfTries} as times from messages m where m.message_id = ${messageId}`.execute(db); // served by the primary key
  return rows[0]?.times ?? 0;
}

/**
 * Records that a defect in our code keeps a submission from being answered. Only the first such event alerts
 * an operator; two in the same moment both do.
 * @param workerId the worker that failed
 */
export async function recordUnanswerable(db: Db, messageId: string, workerId: string): Promise<void> {
  const { rows: about } = await sql<{ subjectId: string }>`
    select coalesce(subject_id, message_id) as "subjectId" from messages where message_id = ${messageId}`.execute(
    db,
  ); // served by the primary key
  const subjectId = about[0]?.subjectId ?? messageId;
  const event = { subjectId, detail: { messageId, workerId } };
  const isFirst = sql`not exists (select from ${triesOf(sql`${subjectId}::uuid`, sql`${messageId}`)})`;
  const alert = insertAudit({ ...event, kind: unanswerable }, isFirst);
  const { rows } = await sql`${alert} returning audit_event_id`.execute(db);
  if (rows.length === 0) await recordAudit(db, { ...event, kind: unanswerableAgain });
}

export interface UnansweredResolution {
  readonly messageId: string;
  readonly messageIdentification: string;
  readonly sourceSystem: string;
}

const triesOfResolution = triesOf(sql`r.resolution_id`, sql`r.resolution_id`);

export function findUnanswered(
  db: Db,
  { withinMs, graceMs, workerId }: Window,
  from?: Place,
): AsyncIterable<UnansweredResolution & Place> {
  return paged(
    // served by index resolutions_deadline and the primary key of resolution_answers
    (after) =>
      sql<UnansweredResolution & Place & { isLeft: boolean }>`
        select r.resolution_id as "messageId", r.message_identification as "messageIdentification",
          r.source_clearing_system as "sourceSystem", r.deadline_at::text as at, r.resolution_id as id,
          not exists (select from resolution_answers a where a.resolution_id = r.resolution_id)
            and not ${hasTried(triesOfResolution, workerId)} as "isLeft"
        from resolutions r
        where r.deadline_at between ${ago(withinMs)} and ${ago(graceMs)}
          and (r.deadline_at, r.resolution_id) > (${after.at}::timestamptz, ${after.id}::uuid)
        order by r.deadline_at, r.resolution_id
        limit ${sql.lit(sliceRows)}`.execute(db),
    sliceRows,
    from,
  );
}
