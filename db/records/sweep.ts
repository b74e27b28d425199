// What the sweep looks for: rows that somebody should be working on. Each question is bounded by an index,
// page after page to its end, so that nothing that makes no progress hides what stands behind it; whether somebody does
// work on them is the engine's to say. It changes nothing.
import { sql, type RawBuilder } from 'kysely';
import { lateFinal, type Decision } from '../../core/payments/decision.ts';
import type { Sends } from '../../core/payments/enquiry-schedule.ts';
import { isInDoubt } from './audit.ts';
import type { Db } from '../pool/connection.ts';
import { isOfToldKind, isOpen, isSettledUncredited } from '../deliveries/deliveries.ts';
import { hasFinalStatus } from './messages.ts';
import { ago, hasAged, paged, pageRows, sliced, type Place } from '../pool/paged.ts';

const epochMs = (at: RawBuilder<unknown>) => sql`extract(epoch from ${at}) * 1000`;

/** An accepted payment without decision. */
export interface UndecidedPayment {
  readonly uetr: string;
  readonly sourceSystem: string;
  /** The stored submission that made it. */
  readonly messageId: string;
  /** Whether its HIGH deadline is past for longer than the grace. */
  readonly isOverdue: boolean;
  /** The first final of the destination that is stored for longer than the grace, if there is one. */
  readonly finalReportId: string | null;
  /** Whether operators have confirmed, for longer than the grace, how it ended. */
  readonly hasOutcome: boolean;
  /**
   * NORM: what was sent, and when; null for HIGH, which ends at its deadline, and while it is on record that nothing was
   * credited, when nothing is sent.
   */
  readonly sends: Sends | null;
}

/** Of a payment `p` with its instruction `i`. Primary key; audit_events_subject_id; recorded_outcomes_standing. */
const sends = sql`case when p.deadline_at is null and not ${isSettledUncredited(sql`p.uetr`)} then jsonb_build_object(
  'acceptedAt', ${epochMs(sql`p.judged_at`)}, 'now', ${epochMs(sql`clock_timestamp()`)},
  'statusAskedAt', ${epochMs(sql`i.enquiry_asked_at`)}, 'owedSince', ${epochMs(sql`i.enquiry_owed_since`)},
  'lastSendEndedAt', (
    select ${epochMs(sql`max(coalesce(a.finished_at, a.started_at))`)} from delivery_attempts a
    where a.delivery_id = i.delivery_id),
  'isInDoubt', ${isInDoubt(sql`p.uetr`)}) end`;

/** What was sent of an undecided NORM payment, now; null where it is decided, HIGH, or not sent any more. */
export async function sendsOf(db: Db, uetr: string): Promise<Sends | null> {
  const { rows } = await sql<{ sends: Sends | null }>`
    select ${sends} as sends from payments p
    join deliveries i on i.subject_id = p.uetr and i.kind = 'instruction' and i.closed_at is null
    where p.uetr = ${uetr}`.execute(db); // primary key; unique (subject_id, kind)
  return rows[0]?.sends ?? null;
}

/** Whether a party is still to be told of a decision, and nobody has tried since that was written. */
export async function isUntold(db: Db, uetr: string): Promise<boolean> {
  const { rows } = await sql`
    select from deliveries
    where subject_id = ${uetr} and ${isOfToldKind} and ${isOpen} and attempts = 0
    limit 1`.execute(db); // unique (subject_id, kind)
  return rows.length > 0;
}

/** Whether nobody has asked a party yet what a payment or resolution needs of it. */
export async function isUnasked(db: Db, subjectId: string): Promise<boolean> {
  const { rows } = await sql`
    select from deliveries
    where subject_id = ${subjectId} and not ${isOfToldKind} and closed_at is null and attempts = 0
    limit 1`.execute(db); // unique (subject_id, kind)
  return rows.length > 0;
}

/** Every undecided payment, oldest first. */
export function findUndecided(
  db: Db,
  graceMs: number,
  from?: Place,
): AsyncIterable<UndecidedPayment & Place> {
  const read = (after: Place) =>
    // indexes deliveries_undecided, recorded_outcomes_standing; primary keys
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
  return paged(read, from);
}

/** A final of a decided payment that is stored, and of which somebody is still to be told. */
export interface UntoldFinal {
  readonly uetr: string;
  readonly reportMessageId: string;
}

/** Of a final `m` and the decision `d`, by a confirmation that was asked for since. Unique (subject_id, kind). */
const isConfirmedSince = (at: RawBuilder<unknown>) => sql`exists (
  select from deliveries c where c.subject_id = m.subject_id and c.kind = 'confirmation' and c.asked_at >= ${at})`;

/** Whether there is an alert of a contradiction by a final `m` or by another with its status; or one that names neither. */
const isTold = sql`exists (
  select from audit_events a where a.subject_id = m.subject_id and a.kind = 'payment.contradiction'
    and (coalesce(a.detail ->> 'reportMessageId', m.message_id::text) = m.message_id::text or a.detail ->> 'reported' = m.status))`;

/** A stored final, the decision if there is one, and who has been told of both. */
interface StoredFinal extends UntoldFinal, Place {
  readonly reported: string;
  readonly decided: Decision['status'] | null;
  readonly confirmationMessageId: string | null;
  readonly isAlerted: boolean;
  readonly isUnconfirmed: boolean;
}

/** Whether a contradiction is without an alert, or a confirmation was never asked for. */
function isUntoldFinal(final: StoredFinal): boolean {
  const { reported, decided, confirmationMessageId, isAlerted, isUnconfirmed } = final;
  if (decided === null) return false;
  const late = lateFinal(
    { status: decided, confirmationMessageId },
    { status: reported, sender: isUnconfirmed ? 'untold' : 'told' },
  );
  return (late.isContradiction && !isAlerted) || late.confirmation !== null;
}

/**
 * Those of which somebody was never told. Unconfirmed are finals of HTTP answers; and where the answer to the last send was
 * lost with its worker, it may have been one.
 */
export function findUntoldFinals(
  db: Db,
  { withinMs, graceMs }: { readonly withinMs: number; readonly graceMs: number },
  from?: Place,
): AsyncIterable<UntoldFinal & Place> {
  const read = async (after: Place, limit: number) => {
    // index messages_finals; primary key of decisions; audit_events_subject_id; unique (subject_id, kind) of deliveries; audit_events_contradictions
    const { rows } = await sql<StoredFinal>`
      select m.subject_id as uetr, m.message_id as "reportMessageId", m.created_at::text as at, m.message_id as id,
        m.status as reported, d.status as decided, d.confirmation_message_id as "confirmationMessageId",
        ${isTold} as "isAlerted",
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
      limit ${sql.lit(limit)}`.execute(db);
    return { rows: rows.map((row) => ({ ...row, isLeft: isUntoldFinal(row) })) };
  };
  return sliced(read, from);
}

/** HIGH payments whose deadline is past for longer than the grace, by the database clock, and that are undecided. */
export async function* findOverdue(db: Db, graceMs: number): AsyncIterable<string> {
  const payments = paged((after) =>
    // index deliveries_undecided; primary key of payments
    sql<{ uetr: string } & Place>`
      select p.uetr, i.asked_at::text as at, i.delivery_id as id
      from deliveries i join payments p on p.uetr = i.subject_id
      where i.kind = 'instruction' and i.closed_at is null and p.deadline_at < ${ago(graceMs)}
        and (i.asked_at, i.delivery_id) > (${after.at}::timestamptz, ${after.id}::uuid)
      order by i.asked_at, i.delivery_id
      limit ${sql.lit(pageRows)}`.execute(db),
  );
  for await (const { uetr } of payments) yield uetr;
}

/** Whether a payment is still without decision. */
export async function isUndecided(db: Db, uetr: string): Promise<boolean> {
  const row = await db
    .selectFrom('decisions') // primary key
    .select('uetr')
    .where('uetr', '=', uetr)
    .executeTakeFirst();
  return row === undefined;
}

const neglectedMs = 60_000;

/** Payments and resolutions with a delivery that is due for more than 60 s and that nobody attempts. */
export async function* findNeglected(
  db: Db,
  from?: Place,
): AsyncIterable<{ readonly subjectId: string } & Place> {
  const found = new Set<string>(); // one may have several
  const read = (after: Place) =>
    // index deliveries_open
    sql<{ subjectId: string } & Place>`
      select subject_id as "subjectId", asked_at::text as at, delivery_id as id from deliveries
      where ${isOfToldKind} and ${isOpen}
        and next_due_at < ${ago(neglectedMs)} and (asked_at, delivery_id) > (${after.at}::timestamptz, ${after.id}::uuid)
      order by asked_at, delivery_id
      limit ${sql.lit(pageRows)}`.execute(db);
  for await (const neglected of paged(read, from)) {
    if (!found.has(neglected.subjectId)) yield neglected;
    found.add(neglected.subjectId);
  }
}

/** Whether something of a payment or resolution is still neglected. */
export async function isNeglected(db: Db, subjectId: string): Promise<boolean> {
  const { rows } = await sql`
    select from deliveries
    where subject_id = ${subjectId} and ${isOfToldKind} and ${isOpen}
      and next_due_at < ${ago(neglectedMs)} limit 1`.execute(db); // unique (subject_id, kind)
  return rows.length > 0;
}
