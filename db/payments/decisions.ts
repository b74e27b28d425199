// The decision of a payment: one row, written once, in one statement with the messages and deliveries that derive from
// it. A submission that is rejected when it is judged gets its decision in the statement that writes the payment
// (payments.ts). A second attempt to decide finds the existing decision.
import { randomUUID } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import { assert } from '../../core/assert.ts';
import type {
  Decider,
  Decision,
  DecisionCondition,
  DecisionFacts,
  StoredReport,
} from '../../core/payments/decision.ts';
import type { Pacs008References } from '../../core/iso20022/references.ts';
import { decidedNow } from '../books/closed-books.ts';
import type { Db } from '../pool/connection.ts';
import type { ToldKind } from '../deliveries/deliveries.ts';
import { isUnreachable } from './unreachable.ts';
import { storedOutgoing, type OutgoingMessage } from '../records/messages.ts';
import { runPrepared } from '../pool/prepared.ts';
import { theOne } from '../pool/the-one.ts';

/** The data from which a decision and its messages are made. */
export interface DecidablePayment extends DecisionFacts {
  readonly uetr: string;
  readonly sourceSystem: string;
  readonly destinationSystem: string;
  readonly corridor: string;
  readonly priority: string;
  /** Epoch milliseconds, database clock. */
  readonly acceptedAt: number;
  readonly messageId: string;
  readonly instructionDeliveryId: string;
  readonly sourceReferences: Pacs008References;
  readonly destinationReferences: Pacs008References;
  readonly quoteId: string | null;
  readonly fxpId: string | null;
  readonly exchangeRate: string;
  readonly sourceAmount: string;
  readonly sourceCurrency: string;
  readonly destinationAmount: string;
  readonly destinationCurrency: string;
  readonly debtorAgentId: string;
  readonly creditorAgentId: string;
  readonly sourceSapId: string | null;
  readonly sourceAccountId: string | null;
  readonly destinationSapId: string;
  readonly destinationAccountId: string;
  readonly decision: Decision | null;
}

/** Columns of a decision that may be missing, joined as `d`. The aliases avoid clashes with other `status` columns. */
export interface DecisionColumns {
  decision_status: Decision['status'] | null;
  decision_reason: string | null;
  callback_message_id: string;
  confirmation_message_id: string | null;
}

export function toDecision(row: DecisionColumns): Decision | null {
  if (row.decision_status === null) return null;
  return {
    status: row.decision_status,
    reasonCode: row.decision_reason,
    callbackMessageId: row.callback_message_id,
    confirmationMessageId: row.confirmation_message_id,
  };
}

interface DecidableRow extends DecisionColumns {
  uetr: string;
  source_clearing_system: string;
  destination_clearing_system: string;
  corridor: string;
  priority: string;
  judged_at: Date;
  message_id: string;
  instruction_delivery_id: string;
  source_references: Pacs008References;
  destination_references: Pacs008References;
  quote_id: string | null;
  fxp_id: string | null;
  exchange_rate: string;
  source_amount: string;
  source_currency: string;
  destination_amount: string;
  destination_currency: string;
  debtor_agent_id: string;
  creditor_agent_id: string;
  source_sap_id: string | null;
  source_account_id: string | null;
  destination_sap_id: string;
  destination_account_id: string;
  deadline_at: Date | null;
  now: Date;
  report_id: string | null;
  report_status: string;
  report_reason: string | null;
  final_id: string | null;
  final_status: string;
  final_reason: string | null;
  outcome_id: string | null;
  outcome_status: Decision['status'];
  outcome_reason: string | null;
}

/** Like `findDecidable`, for a payment that is known to be accepted. */
export async function loadDecidable(
  db: Db,
  uetr: string,
  reportMessageId: string | null,
): Promise<DecidablePayment> {
  const payment = await findDecidable(db, uetr, reportMessageId);
  assert(payment !== undefined, 'only an accepted payment can be decided');
  return payment;
}

/**
 * Reads an accepted payment, with its decision if there is one.
 * @param reportMessageId the stored pacs.002 of the destination that is being handled, if any
 * @returns undefined if no payment with this UETR was accepted
 */
export async function findDecidable(
  db: Db,
  uetr: string,
  reportMessageId: string | null = null,
): Promise<DecidablePayment | undefined> {
  // primary keys; unique (subject_id, kind) of deliveries; recorded_outcomes_standing
  const select = sql<DecidableRow>`
    select p.uetr, p.source_clearing_system, p.destination_clearing_system, p.corridor, p.priority, p.judged_at, p.message_id,
      i.delivery_id as instruction_delivery_id, p.source_references, p.destination_references, p.quote_id, p.fxp_id,
      p.exchange_rate, p.source_amount, p.source_currency, p.destination_amount, p.destination_currency,
      p.debtor_agent_id, p.creditor_agent_id, p.source_sap_id, p.source_account_id, p.destination_sap_id,
      p.destination_account_id, p.deadline_at, clock_timestamp() as now, d.status as decision_status,
      d.reason_code as decision_reason, d.callback_message_id, d.confirmation_message_id, r.message_id as report_id,
      r.status as report_status, r.reason_code as report_reason, f.message_id as final_id, f.status as final_status,
      f.reason_code as final_reason, o.outcome_id, o.status as outcome_status, o.reason_code as outcome_reason
    from payments p
    join ${theOne(sql`deliveries where subject_id = p.uetr and kind = 'instruction' and begun_at = p.begun_at`)} i on true
    left join ${theOne(sql`decisions where uetr = p.uetr and begun_at = p.begun_at`)} d on true
    left join ${theOne(sql`messages where message_id = ${reportMessageId}::uuid`)} r on true
    left join ${theOne(sql`messages where message_id = i.final_report_id`)} f on true
    left join recorded_outcomes o on o.uetr = p.uetr and o.withdrawn_at is null and o.confirmed_at is not null
    where p.uetr = ${uetr} and p.accepted`;
  const [row] = await runPrepared(db, 'load_decidable', select);
  return row && toDecidable(row);
}

function toDecidable(row: DecidableRow): DecidablePayment {
  return {
    uetr: row.uetr,
    sourceSystem: row.source_clearing_system,
    destinationSystem: row.destination_clearing_system,
    corridor: row.corridor,
    priority: row.priority,
    acceptedAt: row.judged_at.getTime(),
    messageId: row.message_id,
    instructionDeliveryId: row.instruction_delivery_id,
    sourceReferences: row.source_references,
    destinationReferences: row.destination_references,
    quoteId: row.quote_id,
    fxpId: row.fxp_id,
    exchangeRate: row.exchange_rate,
    sourceAmount: row.source_amount,
    sourceCurrency: row.source_currency,
    destinationAmount: row.destination_amount,
    destinationCurrency: row.destination_currency,
    debtorAgentId: row.debtor_agent_id,
    creditorAgentId: row.creditor_agent_id,
    sourceSapId: row.source_sap_id,
    sourceAccountId: row.source_account_id,
    destinationSapId: row.destination_sap_id,
    destinationAccountId: row.destination_account_id,
    deadlineAt: row.deadline_at?.getTime() ?? null,
    now: row.now.getTime(),
    decision: toDecision(row),
    report: toReport(row.report_id, row.report_status, row.report_reason),
    firstFinal: toReport(row.final_id, row.final_status, row.final_reason),
    outcome:
      row.outcome_id === null
        ? null
        : { outcomeId: row.outcome_id, status: row.outcome_status, reasonCode: row.outcome_reason },
  };
}

function toReport(messageId: string | null, status: string, reasonCode: string | null): StoredReport | null {
  return messageId === null ? null : { messageId, status, reasonCode };
}

/** A message that a decision sends, and the kind of its delivery. */
export interface DerivedDelivery {
  readonly kind: ToldKind;
  readonly message: OutgoingMessage;
}

export interface NewDecision {
  readonly uetr: string;
  /** Message id of the submission that made the payment. The callback goes to its address. */
  readonly submissionId: string;
  readonly status: Decision['status'];
  readonly reasonCode: string | null;
  readonly ruleId: string | null;
  readonly decidedBy: Decider;
  readonly reportMessageId: string | null;
  readonly outcomeId: string | null;
  readonly instructionDeliveryId: string;
  readonly onlyIf: DecisionCondition | null;
  readonly callback: OutgoingMessage;
  readonly confirmation: OutgoingMessage;
  readonly notification: OutgoingMessage | null;
  readonly deliveries: readonly DerivedDelivery[];
}

/** The row of a decision. Ids that are unknown or do not apply are left out. */
interface DecisionRow extends Pick<NewDecision, 'uetr' | 'status' | 'reasonCode' | 'ruleId' | 'decidedBy'> {
  readonly callbackMessageId: string;
  readonly reportMessageId?: string | null;
  readonly outcomeId?: string | null;
  readonly confirmationMessageId?: string;
  readonly notificationMessageId?: string | null;
  /**
   * SQL over `source`: whether the destination may have seen the payment, as known now. Later findings do not change a
   * book.
   */
  readonly perhapsSeen: RawBuilder<unknown>;
}

/**
 * The only `insert into decisions`, for use in a larger statement: here for accepted payments, in payments.ts for a
 * submission that is rejected when it is judged (PAY-10). Leaves an existing decision alone.
 * @param source has one row, with `begun_at` of the payment, if the decision is to be written; otherwise none
 */
export function insertDecision(decision: DecisionRow, source: RawBuilder<unknown>) {
  return sql`
    insert into decisions (uetr, begun_at, status, reason_code, rule_id, decided_by, report_message_id, outcome_id,
      callback_message_id, confirmation_message_id, notification_message_id, perhaps_seen, decided_at)
    select ${decision.uetr}::uuid, begun_at, ${decision.status}, ${decision.reasonCode}, ${decision.ruleId},
      ${decision.decidedBy}, ${decision.reportMessageId ?? null}::uuid,
      ${decision.outcomeId ?? null}::uuid, ${decision.callbackMessageId}::uuid,
      ${decision.confirmationMessageId ?? null}::uuid, ${decision.notificationMessageId ?? null}::uuid,
      ${decision.perhapsSeen}, ${decidedNow}
    from ${source}
    on conflict do nothing
    returning uetr, begun_at, status`;
}

/**
 * Compare-and-set: writes the decision with its messages and deliveries, closes the instruction to further sends, and
 * releases the quote of a rejected payment.
 * @returns false if there is a decision already, another final was stored first, or `onlyIf` does not hold
 */
export async function recordDecision(db: Db, decision: NewDecision): Promise<boolean> {
  if (decision.onlyIf !== 'unreachable') return writeDecision(db, decision);
  // a separate statement after the lock: only its snapshot shows an outcome that operators confirmed meanwhile
  const inTurn = async (trx: Db) => {
    await lockInstruction(trx, decision.uetr);
    return writeDecision(trx, decision);
  };
  return db.isTransaction ? inTurn(db) : db.transaction().execute(inTurn);
}

/** Serializes everything that decides a payment without its destination. */
export async function lockInstruction(trx: Db, uetr: string): Promise<void> {
  await sql`
    select from deliveries where subject_id = ${uetr}::uuid and kind = 'instruction'
    for update`.execute(trx); // unique (subject_id, kind)
}

async function writeDecision(db: Db, decision: NewDecision): Promise<boolean> {
  const { callback, confirmation, notification, deliveries } = decision;
  const messages = [callback, confirmation, ...(notification === null ? [] : [notification])];
  const column = <T>(pick: (delivery: DerivedDelivery) => T) => deliveries.map(pick);
  const row: DecisionRow = {
    ...decision,
    callbackMessageId: callback.messageId,
    confirmationMessageId: confirmation.messageId,
    notificationMessageId: notification?.messageId ?? null,
    perhapsSeen: sql`possibly_sent > 0 or exists ( -- messages_subject_id
      select from messages m
      where m.subject_id = ${decision.uetr}::uuid and m.direction = 'in' and m.leg = 'destination')`,
  };
  // possibly_sent counts the attempts that are not NOT_SENT: above 0, the destination may have seen the payment. Every
  // attempt to send updates the same row, so an attempt and a decision cannot miss each other.
  const write = sql<{ uetr: string }>`
    with instruction as (
      update deliveries d
      set closed_at = coalesce(closed_at, now()), closed_reason = coalesce(closed_reason, 'decided')
      where delivery_id = ${decision.instructionDeliveryId}::uuid
        and (final_report_id is null or final_report_id = ${decision.reportMessageId}::uuid) -- seam: stored-final
        and (${decision.onlyIf === 'unreachable'}::boolean is false
          or ${isUnreachable(sql`(select judged_at from payments where uetr = ${decision.uetr}::uuid)`)})
        and (${decision.onlyIf === 'unreachable'}::boolean is false or not exists ( -- LIF-4; recorded_outcomes_standing
          select from recorded_outcomes o where o.uetr = ${decision.uetr}::uuid and o.withdrawn_at is null
            and o.confirmed_at is not null))
        and (${decision.onlyIf === 'past-deadline'}::boolean is false or clock_timestamp() >= (
          select deadline_at from payments where uetr = ${decision.uetr}::uuid))
      returning delivery_id, begun_at, possibly_sent
    ),
    decision as (${insertDecision(row, sql`instruction`)}),
    ${storedOutgoing(db, messages, sql`exists (select from decision)`)},
    derived as (
      insert into deliveries (delivery_id, subject_id, begun_at, kind, message_id, party, url)
      select derived.delivery_id, decision.uetr, decision.begun_at, kind, message_id, party,
        case when kind = 'callback' then callback_address(${decision.submissionId}::uuid) end
      from instruction, decision, unnest(
        ${column(() => randomUUID())}::uuid[], ${column((d) => d.kind)}::text[],
        ${column((d) => d.message.messageId)}::uuid[], ${column((d) => d.message.party)}::text[]
      ) as derived (delivery_id, kind, message_id, party)
      -- no confirmation if the destination saw nothing; an attempt under way may still be seen: see
      -- withdrawConfirmation
      where kind <> 'confirmation' or possibly_sent > 0
    ),
    released as (
      delete from quote_uses where uetr = (select uetr from decision where status = 'RJCT')
    )
    select uetr from decision`;
  return (await runPrepared(db, 'record_decision', write)).length === 1;
}

/**
 * Removes the confirmation of a payment that was decided without its destination while a send was under way, if no byte
 * of that send left. The destination then saw nothing. The confirmation stays if it was attempted, if the destination
 * has reported anything, or if another send may have been seen: telling a destination once too often is better than
 * never. Call it in a separate statement after the attempt is settled, because the decision may be written while that
 * one waits.
 */
export async function withdrawConfirmation(db: Db, instructionDeliveryId: string): Promise<void> {
  // primary keys; unique (subject_id, kind); messages_subject_id
  await sql`
    delete from deliveries c using deliveries i, decisions d
    where i.delivery_id = ${instructionDeliveryId} and i.closed_at is not null and i.possibly_sent = 0
      and d.uetr = i.subject_id and d.decided_by <> 'destination'
      and c.subject_id = i.subject_id and c.kind = 'confirmation' and c.attempts = 0 and c.asks = 1
      and not exists (
        select from messages m where m.subject_id = i.subject_id and m.direction = 'in' and m.leg = 'destination')`.execute(
    db,
  );
}
