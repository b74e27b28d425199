// Finds payments and resolutions that need work, for the sweep. Each query uses an index and reads page by
// page to the end. This avoids head-of-line blocking by rows that make no progress. Only Temporal knows
// whether a workflow is already working on them. Writes nothing.
import { sql, type RawBuilder } from 'kysely';
import { lateFinal, type Decision } from '../../core/payments/decision.ts';
import type { Sends } from '../../core/payments/enquiry-schedule.ts';
import { isInDoubt } from './audit.ts';
import type { Db } from '../pool/connection.ts';
import { isOfToldKind, isOpen, isSettledUncredited } from '../deliveries/deliveries.ts';
import { hasFinalStatus } from './messages.ts';
import { ago, hasAged, paged, pageRows, sliceRows, type Place } from '../pool/paged.ts';
import { epochMs, isThere, theOne } from '../pool/statements.ts';

export interface UndecidedPayment {
  readonly uetr: string;
  readonly sourceSystem: string;
  /** Message id of the stored submission that made the payment. */
  readonly messageId: string;
  /** Whether the payment is HIGH, and its deadline passed longer ago than the grace period. */
  readonly isOverdue: boolean;
  /** Id of the destination's first final report, if it was stored longer ago than the grace period. */
  readonly finalReportId: string | null;
  /** Whether operators confirmed an outcome of the payment longer ago than the grace period. */
  readonly hasOutcome: boolean;
  /**
   * The sends of a NORM payment. Null for a HIGH payment, which ends at its deadline. Null also while
   * operators have recorded that the payment was not credited, because nothing is sent then.
   */
  readonly sends: Sends | null;
}

/**
 * SQL over a payment `p` with its instruction `i`: its `Sends` as JSON. Served by indexes
 * audit_events_subject_id and recorded_outcomes_standing.
 */
const sends = sql`case when p.deadline_at is null and not ${isSettledUncredited(sql`p.uetr`)} then jsonb_build_object(
  'acceptedAt', ${epochMs(sql`p.judged_at`)}, 'now', ${epochMs(sql`clock_timestamp()`)},
  'statusAskedAt', ${epochMs(sql`i.enquiry_asked_at`)}, 'owedSince', ${epochMs(sql`i.enquiry_owed_since`)},
  'lastSendEndedAt', (
    select ${epochMs(sql`max(coalesce(a.finished_at, a.started_at))`)} from delivery_attempts a
    where a.delivery_id = i.delivery_id),
  'isInDoubt', ${isInDoubt(sql`p.uetr`)}) end`;

/**
 * Reads the sends of an undecided NORM payment. Null if the payment is decided or HIGH, or nothing more is
 * sent.
 */
export async function sendsOf(db: Db, uetr: string): Promise<Sends | null> {
  const { rows } = await sql<{ sends: Sends | null }>`
    select ${sends} as sends from payments p
    join deliveries i on i.subject_id = p.uetr and i.kind = 'instruction' and i.closed_at is null
    where p.uetr = ${uetr}`.execute(db); // served by the primary key and the unique index on (subject_id, kind)
  return rows[0]?.sends ?? null;
}

export function isUntold(db: Db, uetr: string): Promise<boolean> {
  return isThere(
    db,
    sql`
    select from deliveries
    where subject_id = ${uetr} and ${isOfToldKind} and ${isOpen} and attempts = 0
    limit 1`, // served by the unique index on (subject_id, kind)
  );
}

export function isUnasked(db: Db, subjectId: string): Promise<boolean> {
  return isThere(
    db,
    sql`
    select from deliveries
    where subject_id = ${subjectId} and not ${isOfToldKind} and closed_at is null and attempts = 0
    limit 1`, // served by the unique index on (subject_id, kind)
  );
}

export function findUndecided(
  db: Db,
  graceMs: number,
  from?: Place,
): AsyncIterable<UndecidedPayment & Place> {
  const read = (after: Place) =>
    // served by indexes deliveries_undecided and recorded_outcomes_standing, and by primary keys
    sql<UndecidedPayment & Place>`
      select p.uetr, p.source_clearing_system as "sourceSystem", p.message_id as "messageId", i.asked_at::text as at,
        i.delivery_id as id, coalesce(p.deadline_at < ${ago(graceMs)}, false) as "isOverdue",
        f.message_id as "finalReportId", o.outcome_id is not null as "hasOutcome", ${sends} as sends
      from deliveries i
      join payments p on p.uetr = i.subject_id
      left join messages f on f.message_id = i.final_report_id and ${hasAged(sql`f.created_at`, graceMs)}
      left join recorded_outcomes o on o.uetr = p.uetr and o.withdrawn_at is null
        and ${hasAged(sql`o.confirmed_at`, graceMs)}
      where i.kind = 'instruction' and i.closed_at is null
        and (i.asked_at, i.delivery_id) > (${after.at}::timestamptz, ${after.id}::uuid)
      order by i.asked_at, i.delivery_id
      limit ${sql.lit(pageRows)}`.execute(db);
  return paged(read, pageRows, from);
}

export interface UntoldFinal {
  readonly uetr: string;
  readonly reportMessageId: string;
}

/**
 * SQL over a final report `m`: whether a confirmation was requested at or after that time. Served by the
 * unique index on (subject_id, kind).
 */
const isConfirmedSince = (at: RawBuilder<unknown>) => sql`exists (
  select from deliveries c where c.subject_id = m.subject_id and c.kind = 'confirmation' and c.asked_at >= ${at})`;

/**
 * SQL: whether a contradiction alert covers the final report `m`. It covers the report that it names, and
 * reports with the same status that came before it was closed. An alert that names no report covers all.
 */
const isTold = sql`exists (
  select from audit_events a left join alert_states s on s.audit_event_id = a.audit_event_id
  where a.subject_id = m.subject_id and a.kind = 'payment.contradiction'
    and (coalesce(a.detail ->> 'reportMessageId', m.message_id::text) = m.message_id::text
      or a.detail ->> 'reported' = m.status and (s.action is distinct from 'close' or s.at > m.created_at)))`;

/** A stored final report with the decision, if any, and whether the alert and the confirmation exist. */
interface StoredFinal extends UntoldFinal, Place {
  readonly reported: string;
  readonly decided: Decision['status'] | null;
  readonly confirmationMessageId: string | null;
  /** Whether the report differs from the decision, and no alert covers it. The few that differ are looked up. */
  readonly isUnalerted: boolean;
  readonly isUnconfirmed: boolean;
}

/**
 * Whether the report is a contradiction without an alert, or needs a confirmation that was never requested.
 */
function isUntoldFinal(final: StoredFinal): boolean {
  const { reported, decided, confirmationMessageId, isUnalerted, isUnconfirmed } = final;
  if (decided === null) return false;
  const late = lateFinal(
    { status: decided, confirmationMessageId },
    { status: reported, sender: isUnconfirmed ? 'untold' : 'told' },
  );
  return (late.isContradiction && isUnalerted) || late.confirmation !== null;
}

/**
 * Yields final reports that still need an alert or a confirmation. A report that came in an HTTP answer has
 * no confirmation yet. If a worker crashed during the last send, the lost answer may have been such a report.
 */
export function findUntoldFinals(
  db: Db,
  { withinMs, graceMs }: { readonly withinMs: number; readonly graceMs: number },
  from?: Place,
): AsyncIterable<UntoldFinal & Place> {
  const read = async (after: Place) => {
    // served by indexes messages_finals, audit_events_subject_id and audit_events_contradictions, and by keys
    const { rows } = await sql<StoredFinal>`
      select m.subject_id as uetr, m.message_id as "reportMessageId", m.created_at::text as at, m.message_id as id,
        m.status as reported, d.status as decided, d.confirmation_message_id as "confirmationMessageId",
        m.status is distinct from d.status and not ${isTold} as "isUnalerted",
        m.in_reply_to is not null and not ${isConfirmedSince(sql`m.created_at`)}
          or exists (
            select from deliveries i join delivery_attempts l on l.delivery_id = i.delivery_id and l.attempt = i.attempts
            where i.subject_id = m.subject_id and i.kind = 'instruction' and l.outcome is null
              and ${hasAged(sql`l.started_at`, graceMs)} and not ${isConfirmedSince(sql`l.started_at`)}) as "isUnconfirmed"
      from messages m left join decisions d on d.uetr = m.subject_id
      where m.direction = 'in' and m.leg = 'destination' and m.message_type = 'pacs002'
        and ${hasFinalStatus('m')}
        and m.created_at > ${ago(withinMs)} and ${hasAged(sql`m.created_at`, graceMs)}
        and (m.created_at, m.message_id) > (${after.at}::timestamptz, ${after.id}::uuid)
      order by m.created_at, m.message_id
      limit ${sql.lit(sliceRows)}`.execute(db);
    return { rows: rows.map((row) => ({ ...row, isLeft: isUntoldFinal(row) })) };
  };
  return paged(read, sliceRows, from);
}

/** Yields undecided HIGH payments whose deadline passed longer ago than the grace period, by the database clock. */
export async function* findOverdue(db: Db, graceMs: number): AsyncIterable<string> {
  const read = (after: Place) =>
    // served by index deliveries_undecided and the primary key of payments; a plain join would scan all payments, if
    // hardly any has a deadline
    sql<{ uetr: string } & Place>`
      select p.uetr, i.asked_at::text as at, i.delivery_id as id
      from deliveries i join ${theOne(sql`payments where uetr = i.subject_id and begun_at = i.begun_at`)} p on true
      where i.kind = 'instruction' and i.closed_at is null and p.deadline_at < ${ago(graceMs)}
        and (i.asked_at, i.delivery_id) > (${after.at}::timestamptz, ${after.id}::uuid)
      order by i.asked_at, i.delivery_id
      limit ${sql.lit(pageRows)}`.execute(db);
  for await (const { uetr } of paged(read, pageRows)) yield uetr;
}

export async function isUndecided(db: Db, uetr: string): Promise<boolean> {
  return !(await isThere(db, sql`select from decisions where uetr = ${uetr}`)); // served by the primary key
}

const neglectedMs = 60_000;

/** Yields payments and resolutions with a delivery that has been due for more than 60 s without an attempt. */
export async function* findNeglected(
  db: Db,
  from?: Place,
): AsyncIterable<{ readonly subjectId: string } & Place> {
  const found = new Set<string>(); // a subject may have several deliveries
  const read = (after: Place) =>
    // served by index deliveries_open
    sql<{ subjectId: string } & Place>`
      select subject_id as "subjectId", asked_at::text as at, delivery_id as id from deliveries
      where ${isOfToldKind} and ${isOpen}
        and next_due_at < ${ago(neglectedMs)} and (asked_at, delivery_id) > (${after.at}::timestamptz, ${after.id}::uuid)
      order by asked_at, delivery_id
      limit ${sql.lit(pageRows)}`.execute(db);
  for await (const neglected of paged(read, pageRows, from)) {
    if (!found.has(neglected.subjectId)) yield neglected;
    found.add(neglected.subjectId);
  }
}

export function isNeglected(db: Db, subjectId: string): Promise<boolean> {
  return isThere(
    db,
    sql`
    select from deliveries
    where subject_id = ${subjectId} and ${isOfToldKind} and ${isOpen}
      and next_due_at < ${ago(neglectedMs)} limit 1`, // served by the unique index on (subject_id, kind)
  );
}
