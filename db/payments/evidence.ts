// Reads all records about one payment in one snapshot, to show what happened. Writes nothing. Does not read
// message bodies, because the timeline needs only their hashes and sizes.
import { sql } from 'kysely';
import {
  withoutUnsent,
  type AttemptsLeftOut,
  type EventsLeftOut,
  type EvidenceAttempt,
  type EvidenceDecision,
  type EvidenceDelivery,
  type EvidenceEvent,
  type EvidenceMessage,
  type EvidencePayment,
  type EvidenceRefused,
  type MessagesLeftOut,
  type PaymentEvidence,
} from '../../core/payments/evidence.ts';
import { entriesOfCase } from '../records/cases.ts';
import type { Db } from '../pool/connection.ts';
import { openExcerpt } from '../deliveries/excerpts.ts';
import { listOutcomes } from './recorded-outcomes.ts';

/** Reads the evidence about a UETR, without messages that were never sent. Every part may be empty. */
export async function loadEvidence(db: Db, uetr: string): Promise<PaymentEvidence> {
  const evidence = await readEvidence(db, uetr);
  return withoutUnsent(evidence);
}

function readEvidence(db: Db, uetr: string): Promise<PaymentEvidence> {
  return inSnapshot(db, async (snapshot) => {
    const payment = await loadPayment(snapshot, uetr);
    const decision = await loadDecision(snapshot, uetr);
    const deliveries = await loadDeliveries(snapshot, uetr);
    return {
      payment,
      decision,
      deliveries,
      ...(await loadMessages(snapshot, uetr, { payment, made: madeOf({ payment, decision, deliveries }) })),
      ...(await loadEvents(snapshot, uetr)),
      refused: await loadRefused(snapshot, uetr),
      entries: await entriesOfCase(snapshot, uetr),
      outcomes: await listOutcomes(snapshot, uetr),
    };
  });
}

/**
 * Reads only the evidence that decides who may read one message: that message, the submission, and one
 * message from the destination, if any. If there is no payment, reads the messages that `loadEvidence` shows,
 * and the message in question.
 */
export async function loadEvidenceAbout(db: Db, uetr: string, messageId: string): Promise<PaymentEvidence> {
  const evidence = await inSnapshot(db, async (snapshot): Promise<PaymentEvidence> => {
    const payment = await loadPayment(snapshot, uetr);
    const decision = await loadDecision(snapshot, uetr);
    const deliveries = await loadDeliveries(snapshot, uetr);
    const found =
      payment === undefined
        ? await loadMessages(snapshot, uetr, { payment, made: [messageId] })
        : await loadAbout(snapshot, uetr, [payment.messageId, messageId]);
    const nothing = { events: [], eventsLeftOut: [], refused: [], entries: [], outcomes: [] };
    return { payment, decision, deliveries, ...found, ...nothing };
  });
  return withoutUnsent(evidence);
}

function inSnapshot<T>(db: Db, read: (snapshot: Db) => Promise<T>): Promise<T> {
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);
}

async function loadPayment(db: Db, uetr: string): Promise<EvidencePayment | undefined> {
  const { rows } = await sql<EvidencePayment>`
    select message_id as "messageId", forwarded_message_id as "forwardedMessageId",
      source_clearing_system as "sourceSystem", destination_clearing_system as "destinationSystem", corridor, priority,
      judged_at as "judgedAt", acceptance_at as "acceptanceAt", deadline_at as "deadlineAt", quote_id as "quoteId",
      debtor_agent_id as "debtorAgentId", creditor_agent_id as "creditorAgentId"
    from payments where uetr = ${uetr}`.execute(db); // served by the primary key
  return rows[0];
}

async function loadDecision(db: Db, uetr: string): Promise<EvidenceDecision | undefined> {
  const { rows } = await sql<EvidenceDecision>`
    select status, reason_code as "reasonCode", rule_id as "ruleId", decided_by as "decidedBy",
      decided_at as "decidedAt", report_message_id as "reportMessageId", callback_message_id as "callbackMessageId",
      confirmation_message_id as "confirmationMessageId", notification_message_id as "notificationMessageId"
    from decisions where uetr = ${uetr}`.execute(db); // served by the primary key
  return rows[0];
}

/** Ids of the messages that belong to the payment itself. The evidence also shows the answers to them. */
function madeOf({
  payment,
  decision,
  deliveries,
}: Pick<PaymentEvidence, 'payment' | 'decision' | 'deliveries'>): readonly string[] {
  const { reportMessageId, callbackMessageId, confirmationMessageId, notificationMessageId } = decision ?? {};
  return [
    payment?.messageId,
    payment?.forwardedMessageId,
    ...[reportMessageId, callbackMessageId, confirmationMessageId, notificationMessageId],
    ...deliveries.map(({ messageId }) => messageId),
  ].filter((id) => id != null);
}

const mostMessages = 200; // limit per party; a message has about 500 bytes
const mostAttempts = 200; // limit per delivery; a destination that is never reached gets 120 attempts in its 24 hours

const columnsOfMessage = sql`
  message_id as "messageId", message_type as type, message_identification as "messageIdentification", direction, leg,
  party, status, reason_code as "reasonCode", in_reply_to as "inReplyTo", sha256, size,
  created_at as at`;
const inOrder = sql`at, direction, leg desc, "messageId"`;

/**
 * Reads the newest messages of each party, the first message of each kind and status, and the payment's own
 * messages with their answers. Counts the other messages by kind. If there is no payment, it includes the
 * first unanswered submission, because that one waits to be judged.
 */
async function loadMessages(
  db: Db,
  uetr: string,
  { payment, made }: { readonly payment: EvidencePayment | undefined; readonly made: readonly string[] },
): Promise<Pick<PaymentEvidence, 'messages' | 'messagesLeftOut'>> {
  const isOpen = sql`${payment === undefined}::boolean and direction = 'in' and type = 'pacs008'
    and "messageId" not in (select "inReplyTo" from own where "inReplyTo" is not null)`;
  const ranked = sql`
    own as (select ${columnsOfMessage} from messages where subject_id = ${uetr}), -- index messages_subject_id
    judged as (select *, ${isOpen} as is_open from own),
    ranked as (select *,
      row_number() over (partition by party order by at desc, direction desc, leg, "messageId" desc) as nth_last,
      row_number() over (partition by party, direction, leg, type, status, is_open order by ${inOrder}) as nth
      from judged),
    first_asked as (select "messageId" from ranked where nth = 1 and direction = 'in' and type = 'pacs008')`;
  const isShown = sql`(nth_last <= ${sql.lit(mostMessages)} or nth = 1 or "messageId" = any(${made}::uuid[])
    or direction = 'out' and ("inReplyTo" = any(${made}::uuid[]) or "inReplyTo" in (select "messageId" from first_asked)))`;
  const { rows: messages } = await sql<EvidenceMessage>`
    with ${ranked}
    select "messageId", type, "messageIdentification", direction, leg, party, status, "reasonCode", "inReplyTo", sha256,
      size, at
    from ranked where ${isShown} order by ${inOrder}`.execute(db);
  if (messages.length < mostMessages) return { messages, messagesLeftOut: [] };
  const { rows: messagesLeftOut } = await sql<MessagesLeftOut>`
    with ${ranked}
    select type, direction, leg, party, status, count(*)::int as number from ranked where (${isShown}) is not true
    group by type, direction, leg, party, status order by number desc, party, type, status`.execute(db);
  return { messages, messagesLeftOut };
}

/** Reads these messages of a payment, and one that its destination sent. */
async function loadAbout(
  db: Db,
  uetr: string,
  ids: readonly string[],
): Promise<Pick<PaymentEvidence, 'messages' | 'messagesLeftOut'>> {
  const { rows: messages } = await sql<EvidenceMessage>`
    (select ${columnsOfMessage} from messages
      where message_id = any(${ids}::uuid[]) and subject_id = ${uetr}) -- primary key
    union
    (select ${columnsOfMessage} from messages -- index messages_subject_id
      where subject_id = ${uetr} and direction = 'in' and leg = 'destination' limit 1)
    order by ${inOrder}`.execute(db);
  return { messages, messagesLeftOut: [] };
}

async function loadDeliveries(db: Db, uetr: string): Promise<readonly EvidenceDelivery[]> {
  const { rows } = await sql<Omit<EvidenceDelivery, 'attempts' | 'attemptsLeftOut'> & { deliveryId: string }>`
    select delivery_id as "deliveryId", kind, message_id as "messageId", party, url, asked_at as "askedAt",
      enquiry_asked_at as "enquiryAskedAt", next_due_at as "nextDueAt", delivered_at as "deliveredAt", closed_at as "closedAt",
      closed_reason as "closedReason"
    from deliveries where subject_id = ${uetr}
    order by asked_at, kind`.execute(db); // served by the unique index on (subject_id, kind)
  const { attempts, leftOut } = await loadAttempts(
    db,
    rows.map((row) => row.deliveryId),
  );
  return rows.map(({ deliveryId, ...row }) => ({
    ...row,
    attempts: attempts.filter((one) => one.deliveryId === deliveryId),
    attemptsLeftOut: leftOut.filter((one) => one.deliveryId === deliveryId),
  }));
}

type OfDelivery<Row> = Row & { readonly deliveryId: string };

/** Reads the newest attempts of each delivery, and the first of each outcome, so that no outcome is hidden. */
async function loadAttempts(
  db: Db,
  deliveryIds: readonly string[],
): Promise<{
  readonly attempts: readonly OfDelivery<EvidenceAttempt>[];
  readonly leftOut: readonly OfDelivery<AttemptsLeftOut>[];
}> {
  const ranked = sql`
    select *, row_number() over (partition by delivery_id order by attempt desc) as nth_last,
      row_number() over (partition by delivery_id, outcome order by attempt) as nth
    from delivery_attempts where delivery_id = any(${deliveryIds}::uuid[])`; // served by the primary key
  const isShown = sql`(nth_last <= ${sql.lit(mostAttempts)} or nth = 1)`;
  const { rows } = await sql<OfDelivery<EvidenceAttempt> & { readonly excerptKeyId: string | null }>`
    select delivery_id as "deliveryId", attempt, started_at as "startedAt", finished_at as "finishedAt", outcome,
      http_status as "httpStatus", duration_ms as "durationMs", error_class as "errorClass", url,
      response_excerpt as "responseExcerpt", excerpt_key_id as "excerptKeyId"
    from (${ranked}) a where ${isShown}
    order by attempt`.execute(db);
  const attempts = await Promise.all(
    rows.map(async ({ excerptKeyId, ...row }) => ({
      ...row,
      responseExcerpt: await openExcerpt(db, row, excerptKeyId),
    })),
  );
  if (attempts.length < mostAttempts) return { attempts, leftOut: [] };
  const { rows: leftOut } = await sql<OfDelivery<AttemptsLeftOut>>`
    select delivery_id as "deliveryId", outcome, count(*)::int as number from (${ranked}) a where not ${isShown}
    group by delivery_id, outcome order by number desc, outcome`.execute(db);
  return { attempts, leftOut };
}

const mostEvents = 1_000; // limit for alerts, and again for other events; an event has about 250 bytes, and one payment may have 100,000

/** Reads the newest events, and the first of each kind, so that no kind is hidden. Counts the others by kind. */
async function loadEvents(db: Db, uetr: string): Promise<Pick<PaymentEvidence, 'events' | 'eventsLeftOut'>> {
  const ranked = sql`
    select *, severity = 'alert' as is_alert,
      row_number() over (partition by severity = 'alert' order by audit_event_id desc) as nth_last,
      row_number() over (partition by severity, kind order by audit_event_id) as nth
    from audit_events where subject_id = ${uetr}`; // served by index audit_events_subject_id
  const isShown = sql`(nth_last <= ${sql.lit(mostEvents)} or nth = 1)`;
  const { rows: events } = await sql<EvidenceEvent>`
    select occurred_at as at, severity, kind, party, detail from (${ranked}) e where ${isShown}
    order by audit_event_id`.execute(db);
  if (events.length < mostEvents) return { events, eventsLeftOut: [] };
  const { rows: eventsLeftOut } = await sql<EventsLeftOut>`
    select severity, kind, party, count(*)::int as number from (${ranked}) e where not ${isShown}
    group by severity, kind, party order by number desc, kind, party`.execute(db);
  return { events, eventsLeftOut };
}

/** Reads all refused messages, because at most 20 are kept (refused-messages.ts). */
async function loadRefused(db: Db, uetr: string): Promise<readonly EvidenceRefused[]> {
  const { rows } = await sql<EvidenceRefused>`
    select message_id as "messageId", party, in_reply_to as "inReplyTo", sha256, size,
      created_at as at, refused_as as "refusedAs", fault
    from refused_messages where subject_id = ${uetr}
    order by created_at`.execute(db); // served by the unique index on (subject_id, sha256)
  return rows;
}
