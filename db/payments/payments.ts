// Reads a submission with all that is known about it, and writes the payment row of its judgement (DUP-3,
// PAY-2). Each write is one statement, so that a payment, its first answer and its instruction appear
// together or not at all.
import { sql } from 'kysely';
import { assert } from '../../core/assert.ts';
import { messageIdsCountForDays } from '../../core/scheme/ends.ts';
import type { BoundPayment } from '../../core/payments/bind-payment.ts';
import { isStatusOwed } from '../../core/payments/enquiry-schedule.ts';
import type { Pacs008References } from '../../core/iso20022/references.ts';
import { mapValue } from '../../core/result.ts';
import type { Decision } from '../../core/payments/decision.ts';
import { insertAudit, type AuditEvent } from '../records/audit.ts';
import type { Db } from '../pool/connection.ts';
import { decisionAsJson, insertDecision } from './decisions.ts';
import { joinBody, openKept, storedOutgoing, type OutgoingMessage } from '../records/messages.ts';
import { epochMs, runPrepared, unlessTaken, type Written, theOne } from '../pool/statements.ts';
import { bodyColumns, type BodyColumns } from '../keys/vault.ts';
import { newRowId } from '../pool/row-ids.ts';

/** How long the MsgId of a payment blocks other payments of the same sender with that MsgId. */
const countFor = sql`${sql.lit(messageIdsCountForDays)} * interval '1 day'`;

/** A stored submission, and the records that the database has under its UETR and MsgId. */
export interface StoredSubmission {
  /**
   * Opens the body of the submission. Only the judgement needs the body, so an accepted payment goes on even
   * if it is unreadable.
   * @throws the errors of `openBody` (db/keys/vault.ts)
   */
  readonly open: () => Promise<Buffer>;
  readonly messageIdentification: string;
  readonly uetr: string;
  readonly sourceSystem: string;
  /** Time at which the submission was stored, by the database clock, in epoch milliseconds. */
  readonly storedAt: number;
  /** Current time of the database clock, in epoch milliseconds. */
  readonly now: number;
  readonly payment: StoredPayment | undefined;
  /** UETR of another payment that took the same MsgId of this sender in the last 62 days. */
  readonly messageIdHeldBy: string | undefined;
  /** Id of the answer that this message got before, if it was refused as a repeat. */
  readonly earlierAnswerId: string | undefined;
}

/** A payment as stored, with the state of its instruction and its decision. */
export interface StoredPayment {
  readonly uetr: string;
  readonly sourceSystem: string;
  readonly messageId: string;
  readonly messageIdentification: string;
  readonly answerMessageId: string;
  /**
   * Epoch milliseconds. For an accepted payment this is the time of acceptance, from which TIM-2 and TIM-3
   * count.
   */
  readonly judgedAt: number;
  readonly instructionDeliveryId: string | null;
  /** Whether the destination has answered a send of the instruction, but not with a final status. */
  readonly isInstructionTaken: boolean;
  /** When the last send of the instruction began, in epoch milliseconds; null: none has begun. */
  readonly lastSendBeganAt: number | null;
  /** Whether the source has asked for the status, and no send has followed yet. */
  readonly isStatusOwed: boolean;
  /** Id of the destination's first final report that was stored while the payment was undecided. */
  readonly finalReportId: string | null;
  readonly corridor: string | null;
  readonly destinationSystem: string | null;
  readonly priority: 'HIGH' | 'NORM' | null;
  readonly fxpId: string | null;
  /** Epoch milliseconds. */
  readonly deadlineAt: number | null;
  readonly decision: Decision | null;
}

interface PaymentRow extends Omit<StoredPayment, 'isStatusOwed'> {
  readonly lastSendEndedAt: number | null;
  readonly statusAskedAt: number | null;
}

/** SQL: the payment `p` as a `PaymentRow`; null if there is none. Needs `pm`, `i` and `d` of `paymentJoins`. */
const paymentAsJson = sql`case when p.uetr is not null then jsonb_build_object(
  'uetr', p.uetr, 'sourceSystem', p.source_clearing_system, 'messageId', p.message_id,
  'messageIdentification', pm.message_identification, 'answerMessageId', p.answer_message_id,
  'judgedAt', ${epochMs(sql`p.judged_at`)}, 'instructionDeliveryId', i.delivery_id,
  'isInstructionTaken', i.delivered_at is not null, 'finalReportId', i.final_report_id,
  'lastSendBeganAt', (
    select ${epochMs(sql`max(a.started_at)`)} from delivery_attempts a where a.delivery_id = i.delivery_id),
  'lastSendEndedAt', (
    select ${epochMs(sql`max(coalesce(a.finished_at, a.started_at))`)} from delivery_attempts a
    where a.delivery_id = i.delivery_id),
  'statusAskedAt', ${epochMs(sql`i.enquiry_asked_at`)}, 'corridor', p.corridor,
  'destinationSystem', p.destination_clearing_system, 'priority', p.priority, 'fxpId', p.fxp_id,
  'deadlineAt', ${epochMs(sql`p.deadline_at`)}, 'decision', ${decisionAsJson}) end as payment`;
const paymentJoins = sql`
  left join ${theOne(sql`messages where message_id = p.message_id`)} pm on true
  left join ${theOne(sql`deliveries where subject_id = p.uetr and kind = 'instruction' and begun_at = p.begun_at`)} i on true
  left join ${theOne(sql`decisions where uetr = p.uetr and begun_at = p.begun_at`)} d on true`;

const toPayment = ({ lastSendEndedAt, statusAskedAt, ...payment }: PaymentRow): StoredPayment => ({
  ...payment,
  isStatusOwed: isStatusOwed({ lastSendEndedAt, statusAskedAt }),
});

export async function findPayment(db: Db, uetr: string): Promise<StoredPayment | undefined> {
  // served by the primary keys of payments, messages and decisions, and by the unique index on
  // (subject_id, kind) of deliveries
  const [row] = await runPrepared(
    db,
    'find_payment',
    sql<{ payment: PaymentRow }>`
      select ${paymentAsJson} from payments p ${paymentJoins} where p.uetr = ${uetr}`,
  );
  return row && toPayment(row.payment);
}

interface SubmissionRow
  extends
    BodyColumns,
    Pick<StoredSubmission, 'messageIdentification' | 'uetr' | 'sourceSystem' | 'storedAt' | 'now'> {
  readonly heldBy: string | null;
  readonly earlierAnswerId: string | null;
  readonly payment: PaymentRow | null;
}

export async function loadSubmission(db: Db, messageId: string): Promise<StoredSubmission> {
  // every look-up uses a primary key, except that index messages_in_reply_to finds the earlier answer
  const select = sql<SubmissionRow>`
    select ${bodyColumns('m')}, m.message_identification as "messageIdentification", m.subject_id as uetr,
      m.party as "sourceSystem", ${epochMs(sql`m.created_at`)} as "storedAt",
      ${epochMs(sql`clock_timestamp()`)} as now, k.uetr as "heldBy",
      (select a.message_id from messages a where a.in_reply_to = m.message_id and a.direction = 'out' limit 1)
        as "earlierAnswerId",
      ${paymentAsJson}
    from messages m
    ${joinBody('m')}
    left join ${theOne(sql`payments where uetr = m.subject_id`)} p on true
    ${paymentJoins}
    left join message_identifications k on k.source_clearing_system = m.party
      and k.message_identification = m.message_identification
      and k.uetr <> m.subject_id
      and k.claimed_at > now() - ${countFor}
    where m.message_id = ${messageId}`;
  const [row] = await runPrepared(db, 'load_submission', select);
  assert(row !== undefined, 'a submission is stored before its workflow starts');
  return {
    open: () => openKept(db, row),
    messageIdentification: row.messageIdentification,
    uetr: row.uetr,
    sourceSystem: row.sourceSystem,
    storedAt: row.storedAt,
    now: row.now,
    payment: row.payment === null ? undefined : toPayment(row.payment),
    messageIdHeldBy: row.heldBy ?? undefined,
    earlierAnswerId: row.earlierAnswerId ?? undefined,
  };
}

export interface AcceptedPayment {
  readonly uetr: string;
  readonly messageId: string;
  readonly messageIdentification: string;
  readonly payment: BoundPayment;
  readonly corridor: string;
  readonly priority: 'HIGH' | 'NORM';
  /** `AccptncDtTm`, epoch milliseconds. */
  readonly acceptanceAt: number;
  readonly answer: OutgoingMessage;
  readonly forwarded: OutgoingMessage;
  readonly sourceReferences: Pacs008References;
  readonly destinationReferences: Pacs008References;
  readonly instructionDeliveryId: string;
}

/**
 * Writes an accepted payment, unless another payment has taken its UETR, MsgId or quote meanwhile.
 * @returns time of acceptance (database clock, epoch milliseconds), from which the 60 s of TIM-3 count
 */
export async function recordAccepted(db: Db, accepted: AcceptedPayment): Promise<Written<number>> {
  const { payment, uetr } = accepted;
  const { quote, sourceLeg, destinationLeg } = payment;
  const quoteId = quote?.quoteId ?? null;
  const deadline = payment.deadlineAt === null ? null : new Date(payment.deadlineAt);
  const write = sql<{ judgedAt: number }>`
    with claim as (${claimMessageId(payment.source.clearingSystemId, accepted)}),
    quote as (
      insert into quote_uses (quote_id, uetr)
      select ${quoteId}::uuid, ${uetr}::uuid from claim where ${quoteId}::uuid is not null
      on conflict do nothing -- seam: quote-use
      returning quote_id
    ),
    payment as (
      insert into payments (uetr, begun_at, source_clearing_system, message_id, answer_message_id, judged_at, accepted,
        forwarded_message_id, destination_clearing_system, corridor, priority, acceptance_at, deadline_at, quote_id,
        fxp_id, exchange_rate, source_amount, source_currency, destination_amount, destination_currency,
        creditor_agent_fee, debtor_agent_id, creditor_agent_id, source_sap_id, source_account_id,
        destination_sap_id, destination_account_id, source_references, destination_references)
      select ${uetr}::uuid, now(), ${payment.source.clearingSystemId}, ${accepted.messageId}::uuid,
        ${accepted.answer.messageId}::uuid, now(), true, ${accepted.forwarded.messageId}::uuid,
        ${payment.destination.clearingSystemId}, ${accepted.corridor}, ${accepted.priority},
        ${new Date(accepted.acceptanceAt)}::timestamptz, ${deadline}::timestamptz, ${quoteId}::uuid,
        ${quote?.fxpId ?? null}, ${payment.exchangeRate}::numeric,
        ${payment.sourceAmount.amount}::numeric, ${payment.sourceAmount.currency},
        ${payment.destinationAmount.amount}::numeric, ${payment.destinationAmount.currency},
        ${payment.creditorAgentFee}::numeric, ${payment.debtorAgent.institutionId},
        ${payment.creditorAgent.institutionId}, ${quote?.sourceSapId ?? null},
        ${sourceLeg?.account.otherId ?? null}, ${payment.destinationSap.institutionId},
        ${destinationLeg.account.otherId ?? destinationLeg.account.iban ?? null},
        ${JSON.stringify(accepted.sourceReferences)}::jsonb,
        ${JSON.stringify(accepted.destinationReferences)}::jsonb
      from claim
      where ${quoteId}::uuid is null or exists (select from quote)
      returning uetr, begun_at, judged_at
    ),
    ${storedOutgoing(db, [accepted.answer, accepted.forwarded], sql`exists (select from payment)`)},
    instruction as (
      insert into deliveries (delivery_id, subject_id, begun_at, kind, message_id, party)
      select ${accepted.instructionDeliveryId}::uuid, uetr, begun_at, 'instruction', ${accepted.forwarded.messageId}::uuid,
        ${payment.destination.clearingSystemId}
      from payment
    )
    select ${epochMs(sql`judged_at`)} as "judgedAt" from payment`;
  const written = await unlessTaken(() => runPrepared(db, 'record_accepted', write));
  return mapValue(written, ({ judgedAt }) => judgedAt);
}

/** A submission that the gateway rejects, with the final status RJCT that the callback carries. */
export interface RejectedPayment {
  readonly uetr: string;
  readonly sourceSystem: string;
  readonly messageId: string;
  readonly messageIdentification: string;
  /**
   * Whether another payment holds its MsgId, while an earlier check of PAY-3 rejects it. The rejected payment
   * then does not take the MsgId.
   */
  readonly messageIdIsHeld: boolean;
  /**
   * Debtor agent that the submission names, which may see the payment. Null if it names no member of the
   * submitting system.
   */
  readonly debtorAgentId: string | null;
  readonly reasonCode: string;
  readonly ruleId: string;
  readonly answer: OutgoingMessage;
  readonly event: AuditEvent | null;
}

/**
 * Writes a rejected payment with its decision, unless another payment has taken its UETR or MsgId meanwhile.
 */
export function recordRejected(db: Db, rejected: RejectedPayment): Promise<Written<unknown>> {
  const decision = {
    uetr: rejected.uetr,
    status: 'RJCT',
    reasonCode: rejected.reasonCode,
    ruleId: rejected.ruleId,
    decidedBy: 'gateway',
    callbackMessageId: rejected.answer.messageId,
    perhapsSeen: sql`false`,
  } as const;
  const write = sql<{ uetr: string }>`
    with claim as (${claimMessageId(rejected.sourceSystem, rejected)}),
    payment as (
      insert into payments (uetr, begun_at, source_clearing_system, message_id, answer_message_id, judged_at, accepted,
        debtor_agent_id)
      select ${rejected.uetr}::uuid, now(), ${rejected.sourceSystem}, ${rejected.messageId}::uuid,
        ${rejected.answer.messageId}::uuid, now(), false, ${rejected.debtorAgentId}
      where exists (select from claim) or ${rejected.messageIdIsHeld}::boolean
      returning uetr, begun_at
    ),
    ${storedOutgoing(db, [rejected.answer], sql`exists (select from payment)`)},
    decision as (${insertDecision(decision, sql`payment`)}),
    callback as (
      insert into deliveries (delivery_id, subject_id, begun_at, kind, message_id, party, url)
      select ${newRowId()}::uuid, uetr, begun_at, 'callback', ${rejected.answer.messageId}::uuid,
        ${rejected.sourceSystem}, callback_address(${rejected.messageId}::uuid)
      from payment
    ),
    event as (${insertAudit(rejected.event, sql`exists (select from payment)`)})
    select uetr from payment`;
  return unlessTaken(() => runPrepared(db, 'record_rejected', write));
}

/** Takes the sender's MsgId for this UETR. Returns no row if another payment took it in the last 62 days. */
function claimMessageId(sourceSystem: string, payment: { uetr: string; messageIdentification: string }) {
  return sql`
    insert into message_identifications (source_clearing_system, message_identification, uetr, claimed_at)
    values (${sourceSystem}, ${payment.messageIdentification}, ${payment.uetr}::uuid, now())
    on conflict (source_clearing_system, message_identification) do update
      set uetr = excluded.uetr, claimed_at = excluded.claimed_at
      where message_identifications.uetr = excluded.uetr
        or message_identifications.claimed_at <= now() - ${countFor}
    returning uetr`;
}
