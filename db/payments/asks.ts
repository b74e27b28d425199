// Requests a delivery again: because a source repeats its submission, a destination repeats its final report,
// somebody enquires, or an operator asks for a redelivery. The retry schedule of the delivery then starts
// over.
import { sql, type RawBuilder } from 'kysely';
import { heardMs } from '../../core/payments/enquiry-schedule.ts';
import { eventKinds, type EventKind } from '../../core/operations/event-kinds.ts';
import { given, isFound, isThere } from '../pool/statements.ts';
import { insertAudit, type AuditEvent } from '../records/audit.ts';
import type { Db } from '../pool/connection.ts';
import { bookDay, isDead, isOfToldKind, type ToldKind } from '../deliveries/deliveries.ts';
import { newRowId } from '../pool/row-ids.ts';

const redelivered = 'operator.redelivery' satisfies EventKind;

/** SQL that resets a delivery to the start of its schedule, whatever its state. */
const askedAgain = sql`
  asked_at = clock_timestamp(), next_due_at = clock_timestamp(), attempts_since_asked = 0, claim = null,
  delivered_at = null, closed_at = null, closed_reason = null`;

const isKept = isFound(sql`message_bodies b where b.message_id = deliveries.message_id`); // primary key

/**
 * SQL: true for the first repeat (`asks` is 1 before it). A later repeat counts only if the last one is at
 * least 5 s ago.
 */
const joinsNoRepeat = sql`(asks = 1 or asked_at <= clock_timestamp() - interval '5 seconds')`;

/** Asks whether the sender may cause more work now. Each call counts against the sender's limit. */
export type MayAsk = () => boolean | Promise<boolean>;

/**
 * Requests a delivery again, if the sender may cause work. Its schedule starts over.
 * @param isAskable SQL condition over `deliveries`, served by the unique index on (subject_id, kind)
 * @param event written if the delivery becomes due again
 * @returns whether this call made the delivery due; of several simultaneous requests only one does
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

/**
 * Requests a callback again, whether it was delivered or given up, unless a repeat of the last 5 s covers
 * this one.
 */
export function askCallbackAgain(db: Db, subjectId: string, mayAsk: MayAsk): Promise<boolean> {
  return askAgain(
    db,
    sql`subject_id = ${subjectId} and kind = 'callback' and ${isKept} and ${joinsNoRepeat}`,
    mayAsk,
  );
}

/**
 * Makes the confirmation due, for the first time or again. The caller has got a late final report in the HTTP
 * answer to our instruction.
 */
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
    select ${newRowId()}::uuid, uetr, begun_at, 'confirmation', ${messageId}::uuid, ${party}
    from payments
    where uetr = ${uetr} and not exists (select from deliveries where subject_id = ${uetr} and kind = 'confirmation')
    on conflict do nothing -- another process inserted it at the same moment`.execute(db);
}

/**
 * Requests a confirmation again that was given up, and writes an event. A final report that the destination
 * posts shows that the destination can be reached again. Our HTTP answer to that report carries the
 * confirmation too, but the destination may not read it.
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

/** SQL: no enquiry of the last 5 s covers this one, and a HIGH payment has not passed its deadline. */
const isStatusAskable = (
  uetr: string,
) => sql`subject_id = ${uetr} and kind = 'instruction' and closed_at is null
      and (enquiry_asked_at is null or enquiry_asked_at <= clock_timestamp() - interval '5 seconds')
      and not exists (select from payments p where p.uetr = i.subject_id and p.deadline_at <= clock_timestamp())`;

/**
 * Handles a source's question about the status of an undecided payment.
 * @returns whether the instruction must be sent again
 */
export async function askStatus(db: Db, uetr: string, mayAsk: MayAsk): Promise<boolean> {
  const isAskable = await isThere(db, sql`select from deliveries i where ${isStatusAskable(uetr)}`);
  return isAskable && (await mayAsk()) && sendOnceMore(db, uetr);
}

/** Like `askStatus`, for an operator. Writes an audit event with the operator's client id. */
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

/**
 * Most callback addresses for one submission. A source rarely changes its address. The limit stops two
 * senders that keep replacing each other's address.
 */
const mostAddresses = 100;

/**
 * Changes the callback address to the one that a repeat of the submission names. A callback that is written
 * later reads the address through callback_address(). This function updates a callback that exists already.
 * The insert waits for a callback that another transaction is writing.
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
  // A separate statement, so that its snapshot includes the callback that the first one waited for. A repeat
  // that was refused does not change the address of the payment.
  await sql`
    update deliveries set url = ${url} -- index: unique (subject_id, kind); primary key of payments
    where subject_id = ${subjectId} and kind = 'callback' and url is distinct from ${url}
      and ${messageId}::uuid in (subject_id, (select message_id from payments where uetr = ${subjectId}))`.execute(
    db,
  );
  return true;
}

/** Selects the dead letters for which an operator requests redelivery. */
export interface RedeliveryFilter {
  readonly kinds?: readonly ToldKind[];
  /** Parties to select, by any of their names. */
  readonly parties?: readonly string[];
  readonly closedReason?: 'gone' | 'expired';
  /** Time at which the deliveries were given up: `from` is inclusive, `to` exclusive. */
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
  /** Address of a callback; null for other kinds. */
  readonly url: string | null;
  /** The page of a delivery of kind `book`; null for other kinds. */
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

/** @param from SQL relation of the deliveries, with `kind` and `party` */
const recordRedelivery = (subjectId: RawBuilder<unknown>, from: RawBuilder<unknown>, by: string) => sql`
  insert into audit_events (severity, kind, subject_id, party, detail)
  select ${eventKinds[redelivered]}, ${redelivered}, ${subjectId}, party, jsonb_build_object('kind', kind, 'by', ${by}::text)
  from ${from}`;

/** Lists dead letters in the order in which they were given up, and counts all that match. */
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
  /** Address of a callback; null for other kinds. */
  readonly url: string | null;
}

/**
 * Restarts the schedules of deliveries of one payment or resolution, and records who asked for it.
 * @param kinds the kinds to deliver again, whatever their state; undefined: all that were not acknowledged
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
