// Everything that is on record about one payment, read in one snapshot, to show what happened. It only reads, and
// leaves the bodies where they are: the timeline needs only their hashes and sizes (SEC-3).
import { sql } from 'kysely';
import {
  withoutUnsent,
  type EventsLeftOut,
  type EvidenceAttempt,
  type EvidenceDecision,
  type EvidenceDelivery,
  type EvidenceEvent,
  type EvidenceMessage,
  type EvidencePayment,
  type EvidenceRefused,
  type PaymentEvidence,
} from '../core/evidence.ts';
import { entriesOfCase } from './cases.ts';
import type { Db } from './connection.ts';
import { listOutcomes } from './recorded-outcomes.ts';

/** What is on record under a UETR, and was exchanged; everything may be empty. */
export async function loadEvidence(db: Db, uetr: string): Promise<PaymentEvidence> {
  const evidence = await readEvidence(db, uetr);
  return withoutUnsent(evidence);
}

function readEvidence(db: Db, uetr: string): Promise<PaymentEvidence> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (snapshot) => ({
      payment: await loadPayment(snapshot, uetr),
      decision: await loadDecision(snapshot, uetr),
      messages: await loadMessages(snapshot, uetr),
      deliveries: await loadDeliveries(snapshot, uetr),
      ...(await loadEvents(snapshot, uetr)),
      refused: await loadRefused(snapshot, uetr),
      entries: await entriesOfCase(snapshot, uetr),
      outcomes: await listOutcomes(snapshot, uetr),
    }));
}

function loadPayment(db: Db, uetr: string): Promise<EvidencePayment | undefined> {
  return db
    .selectFrom('payments') // primary key
    .select([
      'message_id as messageId',
      'forwarded_message_id as forwardedMessageId',
      'source_clearing_system as sourceSystem',
      'destination_clearing_system as destinationSystem',
      'corridor',
      'priority',
      'received_at as judgedAt',
      'acceptance_at as acceptanceAt',
      'deadline_at as deadlineAt',
      'quote_id as quoteId',
      'debtor_agent_id as debtorAgentId',
      'creditor_agent_id as creditorAgentId',
    ])
    .where('uetr', '=', uetr)
    .executeTakeFirst();
}

async function loadDecision(db: Db, uetr: string): Promise<EvidenceDecision | undefined> {
  const { rows } = await sql<EvidenceDecision>`
    select status, reason_code as "reasonCode", rule_id as "ruleId", decided_by as "decidedBy",
      decided_at as "decidedAt", report_message_id as "reportMessageId", callback_message_id as "callbackMessageId",
      confirmation_message_id as "confirmationMessageId", notification_message_id as "notificationMessageId"
    from decisions where uetr = ${uetr}`.execute(db); // primary key
  return rows[0];
}

async function loadMessages(db: Db, uetr: string): Promise<readonly EvidenceMessage[]> {
  const { rows } = await sql<EvidenceMessage>`
    select message_id as "messageId", message_type as type, message_identification as "messageIdentification", direction, leg,
      party, status, reason_code as "reasonCode", in_reply_to as "inReplyTo", sha256, octet_length(body) as size,
      created_at as at
    from messages where subject_id = ${uetr}
    order by created_at, direction, leg desc, message_id`.execute(db); // index messages_subject_id
  return rows;
}

async function loadDeliveries(db: Db, uetr: string): Promise<readonly EvidenceDelivery[]> {
  const { rows } = await sql<Omit<EvidenceDelivery, 'attempts'> & { deliveryId: string }>`
    select delivery_id as "deliveryId", kind, message_id as "messageId", party, url, asked_at as "askedAt",
      enquiry_asked_at as "enquiryAskedAt", next_due_at as "nextDueAt", delivered_at as "deliveredAt", closed_at as "closedAt",
      closed_reason as "closedReason"
    from deliveries where subject_id = ${uetr}
    order by asked_at, kind`.execute(db); // unique (subject_id, kind)
  const attempts = await sql<EvidenceAttempt & { deliveryId: string }>`
    select delivery_id as "deliveryId", attempt, started_at as "startedAt", finished_at as "finishedAt", outcome,
      http_status as "httpStatus", duration_ms as "durationMs", error_class as "errorClass", url,
      response_excerpt as "responseExcerpt"
    from delivery_attempts where delivery_id = any(${rows.map((row) => row.deliveryId)}::uuid[])
    order by attempt`.execute(db); // primary key
  return rows.map(({ deliveryId, ...row }) => ({
    ...row,
    attempts: attempts.rows.filter((one) => one.deliveryId === deliveryId),
  }));
}

const mostShown = 1_000; // alerts, and as many other events: some 250 bytes each; a night of contradictions has 100,000

/** The newest, and the first of each kind, so that none is hidden; and how many of which kind there are besides (OBS-5, SEC-7). */
async function loadEvents(db: Db, uetr: string): Promise<Pick<PaymentEvidence, 'events' | 'eventsLeftOut'>> {
  const ranked = sql`
    select *, severity = 'alert' as is_alert,
      row_number() over (partition by severity = 'alert' order by audit_event_id desc) as nth_last,
      row_number() over (partition by severity, kind order by audit_event_id) as nth
    from audit_events where subject_id = ${uetr}`; // index audit_events_subject_id
  const isShown = sql`(nth_last <= ${sql.lit(mostShown)} or nth = 1)`;
  const { rows: events } = await sql<EvidenceEvent>`
    select occurred_at as at, severity, kind, party, detail from (${ranked}) e where ${isShown}
    order by audit_event_id`.execute(db);
  if (events.length < mostShown) return { events, eventsLeftOut: [] };
  const { rows: eventsLeftOut } = await sql<EventsLeftOut>`
    select severity, kind, party, count(*)::int as number from (${ranked}) e where not ${isShown}
    group by severity, kind, party order by number desc, kind, party`.execute(db);
  return { events, eventsLeftOut };
}

async function loadRefused(db: Db, uetr: string): Promise<readonly EvidenceRefused[]> {
  const { rows } = await sql<EvidenceRefused>`
    select message_id as "messageId", party, in_reply_to as "inReplyTo", sha256, octet_length(body) as size,
      created_at as at
    from refused_messages where subject_id = ${uetr}
    order by created_at`.execute(db); // unique (subject_id, sha256)
  return rows;
}
