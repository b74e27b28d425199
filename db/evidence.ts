// Everything that is on record about one payment, read in one snapshot, to show what happened. It only reads, and leaves the
// bodies where they are: the timeline needs only their hashes and sizes (SEC-3).
import { sql } from 'kysely';
import type { Leg } from './messages.ts';
import type { Db } from './connection.ts';

export interface EvidenceMessage {
  readonly messageId: string;
  readonly type: string;
  /** Its MsgId. */
  readonly messageIdentification: string;
  readonly direction: 'in' | 'out';
  readonly leg: Leg;
  readonly party: string;
  readonly status: string | null;
  readonly reasonCode: string | null;
  readonly inReplyTo: string | null;
  readonly sha256: Buffer;
  /** Bytes. */
  readonly size: number;
  readonly at: Date;
}

export interface EvidenceDecision {
  readonly status: string;
  readonly reasonCode: string | null;
  readonly ruleId: string | null;
  readonly decidedBy: 'destination' | 'gateway';
  readonly decidedAt: Date;
  readonly reportMessageId: string | null;
  readonly callbackMessageId: string | null;
  readonly confirmationMessageId: string | null;
  readonly notificationMessageId: string | null;
}

export interface EvidenceAttempt {
  readonly attempt: number;
  readonly startedAt: Date;
  /** Null while it runs, and when a crash left it open: then it counts as MAYBE_SENT (TIM-3). */
  readonly finishedAt: Date | null;
  readonly outcome: string | null;
  readonly httpStatus: number | null;
  readonly durationMs: number | null;
  readonly errorClass: string | null;
}

export interface EvidenceDelivery {
  readonly kind: string;
  readonly messageId: string;
  readonly party: string;
  readonly askedAt: Date;
  readonly nextDueAt: Date;
  readonly deliveredAt: Date | null;
  readonly closedAt: Date | null;
  readonly closedReason: string | null;
  readonly attempts: readonly EvidenceAttempt[];
}

export interface EvidenceEvent {
  readonly at: Date;
  readonly severity: string;
  readonly kind: string;
  readonly party: string | null;
  readonly detail: unknown;
}

/** Whose a payment is and where it goes, from its row. */
export interface EvidencePayment {
  readonly messageId: string;
  readonly forwardedMessageId: string | null;
  readonly sourceSystem: string;
  readonly destinationSystem: string | null;
  readonly corridor: string | null;
  readonly priority: string | null;
  readonly judgedAt: Date;
  readonly acceptanceAt: Date | null;
  readonly deadlineAt: Date | null;
  readonly quoteId: string | null;
  /** Of a rejected payment the one that it claims. */
  readonly debtorAgentId: string | null;
  readonly creditorAgentId: string | null;
}

export interface PaymentEvidence {
  /** Undefined while its first submission is stored and not yet judged, and where all that came was refused (DUP-2). */
  readonly payment: EvidencePayment | undefined;
  readonly decision: EvidenceDecision | undefined;
  /** Oldest first, as everything here. */
  readonly messages: readonly EvidenceMessage[];
  readonly deliveries: readonly EvidenceDelivery[];
  readonly events: readonly EvidenceEvent[];
}

/**
 * The pacs.008 that the payment is of; where there is none, the first that nobody has judged yet, or else the first that was
 * refused as a repeat (DUP-2). Undefined where nothing came under the UETR.
 */
export function submissionOf(evidence: PaymentEvidence): EvidenceMessage | undefined {
  const { payment, messages } = evidence;
  if (payment !== undefined) return messages.find((one) => one.messageId === payment.messageId);
  const submissions = messages.filter((one) => one.type === 'pacs008' && one.direction === 'in');
  return submissions.find((one) => refusalOf(evidence, one) === undefined) ?? submissions[0];
}

/** The answer by which a submission that made no payment was refused (DUP-2); undefined while it is not judged. */
export function refusalOf(
  { payment, messages }: PaymentEvidence,
  { messageId }: EvidenceMessage,
): EvidenceMessage | undefined {
  if (payment !== undefined) return undefined; // every other answer is written together with the payment
  return messages.find((one) => one.direction === 'out' && one.inReplyTo === messageId);
}

/**
 * Whether the destination may have seen anything of the payment: a byte may have left for it, or it has said a word. The same
 * as `possibly_sent > 0` of the instruction, which counts such attempts, or a report on record (db/decisions.ts); here it is read
 * from what is shown, so that the evidence agrees with itself.
 */
export function mayHaveBeenSeen({ messages, deliveries }: PaymentEvidence): boolean {
  const instruction = deliveries.find(({ kind }) => kind === 'instruction');
  const mayHaveLeft = instruction?.attempts.some(({ outcome }) => outcome !== 'NOT_SENT') ?? false;
  return mayHaveLeft || messages.some(({ direction, leg }) => direction === 'in' && leg === 'destination');
}

/**
 * Where no payment came to be, only what was exchanged with that party: several may have been refused under one UETR (DUP-2).
 */
export function ofParty(evidence: PaymentEvidence, party: string): PaymentEvidence {
  if (evidence.payment !== undefined) return evidence;
  return { ...evidence, messages: evidence.messages.filter((one) => one.party === party) };
}

/** The confirmation is composed with the decision; a destination that saw nothing is never sent it (PAY-9). */
function withoutUnsent(evidence: PaymentEvidence): PaymentEvidence {
  const { decision, messages, deliveries } = evidence;
  const isDue = deliveries.some(({ kind }) => kind === 'confirmation');
  if (decision === undefined || isDue || mayHaveBeenSeen(evidence)) return evidence;
  return {
    ...evidence,
    decision: { ...decision, confirmationMessageId: null },
    messages: messages.filter((one) => one.messageId !== decision.confirmationMessageId),
  };
}

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
      events: await loadEvents(snapshot, uetr),
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
    select delivery_id as "deliveryId", kind, message_id as "messageId", party, asked_at as "askedAt",
      next_due_at as "nextDueAt", delivered_at as "deliveredAt", closed_at as "closedAt",
      closed_reason as "closedReason"
    from deliveries where subject_id = ${uetr}
    order by asked_at, kind`.execute(db); // unique (subject_id, kind)
  const attempts = await sql<EvidenceAttempt & { deliveryId: string }>`
    select delivery_id as "deliveryId", attempt, started_at as "startedAt", finished_at as "finishedAt", outcome,
      http_status as "httpStatus", duration_ms as "durationMs", error_class as "errorClass"
    from delivery_attempts where delivery_id = any(${rows.map((row) => row.deliveryId)}::uuid[])
    order by attempt`.execute(db); // primary key
  return rows.map(({ deliveryId, ...row }) => ({
    ...row,
    attempts: attempts.rows.filter((one) => one.deliveryId === deliveryId),
  }));
}

function loadEvents(db: Db, uetr: string): Promise<readonly EvidenceEvent[]> {
  return db
    .selectFrom('audit_events') // index audit_events_subject_id
    .select(['occurred_at as at', 'severity', 'kind', 'party', 'detail'])
    .where('subject_id', '=', uetr)
    .orderBy('audit_event_id')
    .execute();
}
