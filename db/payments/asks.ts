// What is asked for again: a callback by a repeat of the source, a confirmation by a final of the destination, an
// enquiry, any of them by an operator. A delivery that is asked for again starts over.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { heardMs } from '../../core/payments/enquiry-schedule.ts';
import { eventKinds, type EventKind } from '../../core/operations/event-kinds.ts';
import { given } from '../pool/conditions.ts';
import { insertAudit, type AuditEvent } from '../records/audit.ts';
import type { Db } from '../pool/connection.ts';
import { bookDay, isDead, isOfToldKind, type ToldKind } from '../deliveries/deliveries.ts';

const redelivered = 'operator.redelivery' satisfies EventKind;

/** Back to the start of its schedule, whatever has happened to it. */
const askedAgain = sql`
  asked_at = clock_timestamp(), next_due_at = clock_timestamp(), attempts_since_asked = 0, claim = null,
  delivered_at = null, closed_at = null, closed_reason = null`;

/** Whether the bytes of its message are still kept; of a delivery. */
const isKept = sql`exists (select from message_bodies b where b.message_id = deliveries.message_id)`;

/** True for the first repeat (`asks` is 1 before it), and 5 s after the last one; others join that. */
const joinsNoRepeat = sql`(asks = 1 or asked_at <= clock_timestamp() - interval '5 seconds')`;

/** Whether the sender may cause more work now. Called only for a repeat that joins no other; it counts each call. */
export type MayAsk = () => boolean | Promise<boolean>;

/**
 * Asks for a callback again, delivered or given up: its schedule starts over.
 * @returns whether it is due again; false: it joins an earlier repeat, or the sender is at its bound
 */
export async function askCallbackAgain(db: Db, subjectId: string, mayAsk: MayAsk): Promise<boolean> {
  // index: unique (subject_id, kind)
  const isAskable = sql`subject_id = ${subjectId} and kind = 'callback' and ${isKept} and ${joinsNoRepeat}`;
  const askable = await sql`select from deliveries where ${isAskable}`.execute(db);
  if (askable.rows.length === 0 || !(await mayAsk())) return false;
  const { rows } = await sql`
    update deliveries set asks = asks + 1, ${askedAgain} where ${isAskable} returning delivery_id`.execute(
    db,
  );
  return rows.length > 0; // of repeats that come together, one
}

/** Makes sure that the destination is told the decision (again), where its final came in an HTTP answer. */
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
    on conflict do nothing -- somebody asks at this very moment`.execute(db);
}

/**
 * A final that its destination posts shows that it can be reached: a confirmation that was given up goes out again, as
 * a callback does by a repeat of its source. That the final was answered with it proves nothing: nobody knows
 * whether the answer was read. An event says so.
 * @returns whether it is due again
 */
export async function askDeadConfirmation(
  db: Db,
  { uetr, party, reportMessageId }: { readonly [Key in 'uetr' | 'party' | 'reportMessageId']: string },
  mayAsk: MayAsk = () => true,
): Promise<boolean> {
  const kind = 'confirmation.asked-again';
  const event = { kind, subjectId: uetr, party, detail: { reportMessageId } } as const;
  // index: unique (subject_id, kind)
  const isAskable = sql`subject_id = ${uetr} and kind = 'confirmation' and ${isDead} and ${isKept}`;
  const askable = await sql`select from deliveries where ${isAskable}`.execute(db);
  if (askable.rows.length === 0 || !(await mayAsk())) return false;
  const { rows } = await sql`
    with asked as (
      update deliveries set asks = asks + 1, ${askedAgain} where ${isAskable}
      returning delivery_id
    ),
    event as (${insertAudit(event, sql`exists (select from asked)`)})
    select from asked`.execute(db);
  return rows.length > 0;
}

/** Not within 5 s of the last enquiry, which this one joins, and not after the deadline of a HIGH payment. */
const isStatusAskable = (
  uetr: string,
) => sql`subject_id = ${uetr} and kind = 'instruction' and closed_at is null
      and (enquiry_asked_at is null or enquiry_asked_at <= clock_timestamp() - interval '5 seconds')
      and not exists (select from payments p where p.uetr = i.subject_id and p.deadline_at <= clock_timestamp())`;

/**
 * A source asks for the status of a payment that is not decided.
 * @returns whether the instruction goes out once more
 */
export async function askStatus(db: Db, uetr: string, mayAsk: MayAsk): Promise<boolean> {
  const askable = await sql`select from deliveries i where ${isStatusAskable(uetr)}`.execute(db);
  return askable.rows.length > 0 && (await mayAsk()) && sendOnceMore(db, uetr);
}

/** The same for an operator, whose name is on record with it. */
export function askStatusAsOperator(
  db: Db,
  uetr: string,
  operator: { readonly clientId: string; readonly party: string | undefined },
): Promise<boolean> {
  const { clientId: by, party } = operator;
  return sendOnceMore(db, uetr, { kind: 'operator.enquiry', subjectId: uetr, party, detail: { by } });
}

async function sendOnceMore(db: Db, uetr: string, event?: AuditEvent): Promise<boolean> {
  // index: unique (subject_id, kind); primary keys of delivery_attempts and payments
  const { rows } = await sql`
    with asked as (update deliveries i
    set enquiry_asked_at = clock_timestamp(),
      enquiry_owed_since = case when enquiry_owed_since > (
          select max(coalesce(a.finished_at, a.started_at)) + ${sql.lit(heardMs)} * interval '1 millisecond'
          from delivery_attempts a where a.delivery_id = i.delivery_id)
        then enquiry_owed_since else clock_timestamp() end
    where ${isStatusAskable(uetr)}
    returning delivery_id),
    event as (${insertAudit(event, sql`exists (select from asked)`)})
    select from asked`.execute(db);
  return rows.length > 0;
}

/** Whether a payment is HIGH, and its deadline past, by the database clock. */
export async function isPastDeadline(db: Db, uetr: string): Promise<boolean> {
  const { rows } = await sql`
    select from payments where uetr = ${uetr} and deadline_at <= clock_timestamp()`.execute(db); // primary key
  return rows.length > 0;
}

/** Changes of one callback address: as a rule there are none, and two that alternate are soon told to stop. */
const mostAddresses = 100;

/**
 * From now on the callback goes to the address that a repeat of the submission names: a callback that is
 * written later gets it from callback_address(), one that exists gets it here. One that is being written is waited for.
 * @returns false: it was changed too often, and the last address stands
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
  // A statement of its own, which sees what the first one waited for. A refused repeat names no address for the payment.
  await sql`
    update deliveries set url = ${url} -- index: unique (subject_id, kind); primary key of payments
    where subject_id = ${subjectId} and kind = 'callback' and url is distinct from ${url}
      and ${messageId}::uuid in (subject_id, (select message_id from payments where uetr = ${subjectId}))`.execute(
    db,
  );
  return true;
}

/** Which deliveries an operator asks for again. */
export interface RedeliveryFilter {
  readonly kinds?: readonly ToldKind[];
  /** Under any of these names. */
  readonly parties?: readonly string[];
  readonly closedReason?: 'gone' | 'expired';
  /** When they were given up: from then on, and before then. */
  readonly from?: Date;
  readonly to?: Date;
}

/** A delivery that was given up. */
export interface DeadLetter {
  readonly subjectId: string;
  readonly kind: ToldKind;
  readonly party: string;
  readonly closedReason: string;
  readonly closedAt: Date;
  readonly attempts: number;
  /** Of a callback: what the source named. */
  readonly url: string | null;
  /** Of the kind `book`: which page of which day; null of every other. */
  readonly bookPage: { readonly book: string; readonly day: string; readonly page: number } | null;
}

const isDeadAnd = (filter: RedeliveryFilter) =>
  sql.join(
    [
      sql`${isOfToldKind} and ${isDead}`, // index deliveries_dead
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
    from book_pages b where b.book_page_id = subject_id) as "bookPage"`; // primary key

/** Dead letters, those first that were given up first; and how many there are. */
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

/** Their schedules start over, and it is on record who asked for that. */
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
    recorded as (
      insert into audit_events (severity, kind, subject_id, party, detail)
      select ${eventKinds[redelivered]}, ${redelivered}, "subjectId", party, jsonb_build_object('kind', kind, 'by', ${by}::text)
      from found
    )
    select "subjectId", kind, party, url, "closedReason", "closedAt", attempts, "bookPage" from found order by "closedAt"`.execute(
    db,
  );
  return rows;
}

/** A delivery whose schedule has started over, and where it goes. */
interface DueAgain {
  readonly kind: ToldKind;
  readonly party: string;
  /** Of a callback: what the source named. */
  readonly url: string | null;
}

/**
 * The same for one payment or resolution.
 * @param kinds whatever has become of them; undefined: those that were not taken
 * @returns what is due again
 */
export async function redeliver(
  db: Db,
  subjectId: string,
  { kinds, by }: { readonly kinds: readonly ToldKind[] | undefined; readonly by: string },
): Promise<readonly DueAgain[]> {
  // unique (subject_id, kind)
  const { rows } = await sql<DueAgain>`
    with asked as (
      update deliveries set asks = asks + 1, ${askedAgain}
      where subject_id = ${subjectId} and ${isOfToldKind} and ${isKept}
        and ${kinds === undefined ? sql`delivered_at is null` : sql`kind = any(${kinds}::text[])`}
      returning kind, party, url
    ),
    recorded as (
      insert into audit_events (severity, kind, subject_id, party, detail)
      select ${eventKinds[redelivered]}, ${redelivered}, ${subjectId}::uuid, party,
        jsonb_build_object('kind', kind, 'by', ${by}::text) from asked
    )
    select kind, party, url from asked order by kind`.execute(db);
  return rows;
}

/** What a payment or resolution owed to its parties and they have taken, and when. */
export async function listTaken(
  db: Db,
  subjectId: string,
): Promise<readonly { readonly kind: ToldKind; readonly deliveredAt: Date }[]> {
  // unique (subject_id, kind)
  const { rows } = await sql<{ kind: ToldKind; deliveredAt: Date }>`
    select kind, delivered_at as "deliveredAt" from deliveries
    where subject_id = ${subjectId}::uuid and ${isOfToldKind} and delivered_at is not null
    order by kind`.execute(db);
  return rows;
}
