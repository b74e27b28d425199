// Requests for another delivery: a source repeats its submission, a destination repeats its final, somebody enquires,
// or an operator asks for a redelivery. The schedule of a delivery that is requested again starts over.
import { randomUUID } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import { heardMs } from '../../core/payments/enquiry-schedule.ts';
import { eventKinds, type EventKind } from '../../core/operations/event-kinds.ts';
import { given, isThere } from '../pool/statements.ts';
import { insertAudit, type AuditEvent } from '../records/audit.ts';
import type { Db } from '../pool/connection.ts';
import { bookDay, isDead, isOfToldKind, type ToldKind } from '../deliveries/deliveries.ts';

const redelivered = 'operator.redelivery' satisfies EventKind;

/** Resets a delivery to the start of its schedule, whatever its state. */
const askedAgain = sql`
  asked_at = clock_timestamp(), next_due_at = clock_timestamp(), attempts_since_asked = 0, claim = null,
  delivered_at = null, closed_at = null, closed_reason = null`;

const isKept = sql`exists (select from message_bodies b where b.message_id = deliveries.message_id)`;

/** True for the first repeat (`asks` is 1 before it), and later if the last repeat is at least 5 s ago. */
const joinsNoRepeat = sql`(asks = 1 or asked_at <= clock_timestamp() - interval '5 seconds')`;

/** Whether the sender may cause more work now. Each call counts. */
export type MayAsk = () => boolean | Promise<boolean>;

/**
 * Requests a delivery again, if the sender may cause work. Its schedule starts over.
 * @param isAskable SQL over `deliveries`; index: unique (subject_id, kind)
 * @param event written if the delivery is due again
 * @returns whether it is; of several simultaneous requests only one makes it due
 */
async function askAgain(
  db: Db,
  isAskable: RawBuilder<unknown>,
  mayAsk: MayAsk,
  event?: AuditEvent,
): Promise<boolean> {
  if (!(await isThere(db, sql`select from deliveries where ${isAskable}`)) || !(await mayAsk())) return false;
  return isThere(
    db,
    sql`
    with asked as (
      update deliveries set asks = asks + 1, ${askedAgain} where ${isAskable} returning delivery_id
    ),
    event as (${insertAudit(event, sql`exists (select from asked)`)})
    select from asked`,
  );
}

/** Requests a callback again, whether it was delivered or given up, unless an earlier repeat covers this one. */
export function askCallbackAgain(db: Db, subjectId: string, mayAsk: MayAsk): Promise<boolean> {
  return askAgain(
    db,
    sql`subject_id = ${subjectId} and kind = 'callback' and ${isKept} and ${joinsNoRepeat}`,
    mayAsk,
  );
}

/** Makes the confirmation due, for the first time or again, when a late final came in an HTTP answer to us. */
export async function askConfirmation(
  db: Db,
  { uetr, messageId, party }: { readonly uetr: string; readonly messageId: string; readonly party: string },
): Promise<void> {
  await sql`
    with again as (
      update deliveries set asks = asks + 1, ${askedAgain}
      where subject_id = ${uetr} and kind = 'confirmation' and ${isKept}
    )
    insert into deliveries (delivery_id, subject_id, begun_at, kind, message_id, party)
    select ${randomUUID()}::uuid, uetr, begun_at, 'confirmation', ${messageId}::uuid, ${party}
    from payments
    where uetr = ${uetr} and not exists (select from deliveries where subject_id = ${uetr} and kind = 'confirmation')
    on conflict do nothing -- another process inserted it at the same moment`.execute(db);
}

/**
 * Requests a confirmation that was given up. A final that the destination posts shows that the destination can be
 * reached again. Our HTTP answer to that final carries the confirmation too, but we cannot know whether it was read.
 * Writes an event.
 */
export function askDeadConfirmation(
  db: Db,
  { uetr, party, reportMessageId }: { readonly [Key in 'uetr' | 'party' | 'reportMessageId']: string },
  mayAsk: MayAsk = () => true,
): Promise<boolean> {
  const kind = 'confirmation.asked-again';
  return askAgain(
    db,
    sql`subject_id = ${uetr} and kind = 'confirmation' and ${isDead} and ${isKept}`,
    mayAsk,
    {
      kind,
      subjectId: uetr,
      party,
      detail: { reportMessageId },
    },
  );
}

/** No enquiry of the last 5 s covers this one, and the deadline of a HIGH payment has not passed. */
const isStatusAskable = (
  uetr: string,
) => sql`subject_id = ${uetr} and kind = 'instruction' and closed_at is null
      and (enquiry_asked_at is null or enquiry_asked_at <= clock_timestamp() - interval '5 seconds')
      and not exists (select from payments p where p.uetr = i.subject_id and p.deadline_at <= clock_timestamp())`;

/**
 * Handles the status question of a source about an undecided payment.
 * @returns whether the instruction is to be sent again
 */
export async function askStatus(db: Db, uetr: string, mayAsk: MayAsk): Promise<boolean> {
  const isAskable = await isThere(db, sql`select from deliveries i where ${isStatusAskable(uetr)}`);
  return isAskable && (await mayAsk()) && sendOnceMore(db, uetr);
}

/** The same for an operator. Writes an audit event with the operator's name. */
export function askStatusAsOperator(
  db: Db,
  uetr: string,
  operator: { readonly clientId: string; readonly party: string | undefined },
): Promise<boolean> {
  const { clientId: by, party } = operator;
  return sendOnceMore(db, uetr, { kind: 'operator.enquiry', subjectId: uetr, party, detail: { by } });
}

function sendOnceMore(db: Db, uetr: string, event?: AuditEvent): Promise<boolean> {
  // served by the unique index on (subject_id, kind) and the primary keys of delivery_attempts and payments
  return isThere(
    db,
    sql`
    with asked as (update deliveries i
    set enquiry_asked_at = clock_timestamp(),
      enquiry_owed_since = case when enquiry_owed_since > (
          select max(coalesce(a.finished_at, a.started_at)) + ${sql.lit(heardMs)} * interval '1 millisecond'
          from delivery_attempts a where a.delivery_id = i.delivery_id)
        then enquiry_owed_since else clock_timestamp() end
    where ${isStatusAskable(uetr)}
    returning delivery_id),
    event as (${insertAudit(event, sql`exists (select from asked)`)})
    select from asked`,
  );
}

/** Whether the payment is HIGH and past its deadline, by the database clock. */
export function isPastDeadline(db: Db, uetr: string): Promise<boolean> {
  return isThere(db, sql`select from payments where uetr = ${uetr} and deadline_at <= clock_timestamp()`); // served by the primary key
}

/** Most addresses for one submission. Usually there is no change; two senders that alternate must stop soon. */
const mostAddresses = 100;

/**
 * Moves the callback to the address that a repeat of the submission names. A callback that is written later reads it
 * from callback_address(); an existing one is updated here. The insert waits for a callback that is being written.
 * @returns false if the address was changed too often; the last one stays
 */
export async function nameCallbackAddress(
  db: Db,
  submission: { readonly messageId: string; readonly subjectId: string; readonly url: string },
): Promise<boolean> {
  const { messageId, subjectId, url } = submission;
  const { rows } = await sql`
    with changed as (
      select count(*) >= ${sql.lit(mostAddresses)} as is_too_often
      from callback_addresses where message_id = ${messageId} -- primary key
      having ${url} is distinct from coalesce(
        (select url from callback_addresses where message_id = ${messageId} order by named_at desc limit 1),
        (select answer_url from messages where message_id = ${messageId}))
    ),
    named as (
      insert into callback_addresses (message_id, url)
      select ${messageId}::uuid, ${url} from changed where not is_too_often
    )
    select from changed where is_too_often`.execute(db);
  if (rows.length > 0) return false;
  // A separate statement, so that its snapshot includes what the first one waited for. A repeat that was refused does
  // not change the address of the payment.
  await sql`
    update deliveries set url = ${url} -- index: unique (subject_id, kind); primary key of payments
    where subject_id = ${subjectId} and kind = 'callback' and url is distinct from ${url}
      and ${messageId}::uuid in (subject_id, (select message_id from payments where uetr = ${subjectId}))`.execute(
    db,
  );
  return true;
}

/** Selects the dead letters that an operator requests again. */
export interface RedeliveryFilter {
  readonly kinds?: readonly ToldKind[];
  /** Any of the names of the parties. */
  readonly parties?: readonly string[];
  readonly closedReason?: 'gone' | 'expired';
  /** When they were given up: `from` is inclusive, `to` exclusive. */
  readonly from?: Date;
  readonly to?: Date;
}

export interface DeadLetter {
  readonly subjectId: string;
  readonly kind: ToldKind;
  readonly party: string;
  readonly closedReason: string;
  readonly closedAt: Date;
  readonly attempts: number;
  /** Address of a callback, as the source named it; null for other kinds. */
  readonly url: string | null;
  /** Only a delivery of kind `book` has one; null for other kinds. */
  readonly bookPage: { readonly book: string; readonly day: string; readonly page: number } | null;
}

const isDeadAnd = (filter: RedeliveryFilter) =>
  sql.join(
    [
      sql`${isOfToldKind} and ${isDead}`, // served by index deliveries_dead
      isKept,
      ...given(filter.kinds, (kinds) => sql`kind = any(${kinds}::text[])`),
      ...given(filter.parties, (parties) => sql`party = any(${parties}::text[])`),
      ...given(filter.closedReason, (reason) => sql`closed_reason = ${reason}`),
      ...given(filter.from, (from) => sql`closed_at >= ${from}`),
      ...given(filter.to, (to) => sql`closed_at < ${to}`),
    ],
    sql` and `,
  );
const deadLetter = sql`
  subject_id as "subjectId", kind, party, url, closed_reason as "closedReason", closed_at as "closedAt", attempts,
  (select jsonb_build_object('book', b.book, 'day', ${bookDay(sql.ref('b.period_from'))}, 'page', b.page)
    from book_pages b where b.book_page_id = subject_id) as "bookPage"`; // served by the primary key

/** @param from the deliveries, with `kind` and `party` */
const recordRedelivery = (subjectId: RawBuilder<unknown>, from: RawBuilder<unknown>, by: string) => sql`
  insert into audit_events (severity, kind, subject_id, party, detail)
  select ${eventKinds[redelivered]}, ${redelivered}, ${subjectId}, party, jsonb_build_object('kind', kind, 'by', ${by}::text)
  from ${from}`;

/** Lists dead letters, those given up first come first, and counts all. */
export async function findDeadLetters(
  db: Db,
  filter: RedeliveryFilter,
  limit: number,
): Promise<{ readonly deadLetters: readonly DeadLetter[]; readonly total: number }> {
  const { rows } = await sql<DeadLetter>`
    select ${deadLetter} from deliveries where ${isDeadAnd(filter)}
    order by closed_at, delivery_id limit ${sql.lit(limit)}`.execute(db);
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from deliveries where ${isDeadAnd(filter)}`.execute(db);
  return { deadLetters: rows, total: counted.rows[0]?.total ?? 0 };
}

export async function redeliverDeadLetters(
  db: Db,
  filter: RedeliveryFilter,
  { limit, by }: { readonly limit: number; readonly by: string },
): Promise<readonly DeadLetter[]> {
  const { rows } = await sql<DeadLetter>`
    with found as (
      select delivery_id, ${deadLetter} from deliveries where ${isDeadAnd(filter)}
      order by closed_at, delivery_id limit ${sql.lit(limit)} for update skip locked
    ),
    asked as (
      update deliveries d set asks = asks + 1, ${askedAgain} from found where d.delivery_id = found.delivery_id
    ),
    recorded as (${recordRedelivery(sql`"subjectId"`, sql`found`, by)})
    select "subjectId", kind, party, url, "closedReason", "closedAt", attempts, "bookPage" from found order by "closedAt"`.execute(
    db,
  );
  return rows;
}

interface DueAgain {
  readonly kind: ToldKind;
  readonly party: string;
  /** Address of a callback, as the source named it; null for other kinds. */
  readonly url: string | null;
}

/**
 * Restarts the schedules of deliveries of one payment or resolution, and records who asked for it.
 * @param kinds the kinds to deliver again, in whatever state; undefined: those that were not acknowledged
 * @returns the deliveries that are due again
 */
export async function redeliver(
  db: Db,
  subjectId: string,
  { kinds, by }: { readonly kinds: readonly ToldKind[] | undefined; readonly by: string },
): Promise<readonly DueAgain[]> {
  // served by the unique index on (subject_id, kind)
  const { rows } = await sql<DueAgain>`
    with asked as (
      update deliveries set asks = asks + 1, ${askedAgain}
      where subject_id = ${subjectId} and ${isOfToldKind} and ${isKept}
        and ${kinds === undefined ? sql`delivered_at is null` : sql`kind = any(${kinds}::text[])`}
      returning kind, party, url
    ),
    recorded as (${recordRedelivery(sql`${subjectId}::uuid`, sql`asked`, by)})
    select kind, party, url from asked order by kind`.execute(db);
  return rows;
}

export async function listTaken(
  db: Db,
  subjectId: string,
): Promise<readonly { readonly kind: ToldKind; readonly deliveredAt: Date }[]> {
  // served by the unique index on (subject_id, kind)
  const { rows } = await sql<{ kind: ToldKind; deliveredAt: Date }>`
    select kind, delivered_at as "deliveredAt" from deliveries
    where subject_id = ${subjectId}::uuid and ${isOfToldKind} and delivered_at is not null
    order by kind`.execute(db);
  return rows;
}
