// Writes the decision of a payment: one row, written once, in the same statement as the messages and
// deliveries that follow from it. payments.ts writes the decision of a submission that is rejected when it is
// judged, together with the payment. A second attempt to decide finds the existing decision.
import { sql, type RawBuilder } from 'kysely';
import { assert } from '../../core/assert.ts';
import type { Decider, Decision, DecisionCondition, DecisionFacts } from '../../core/payments/decision.ts';
import type { Pacs008References } from '../../core/iso20022/references.ts';
import { decidedNow } from '../books/closed-books.ts';
import type { Db } from '../pool/connection.ts';
import type { ToldKind } from '../deliveries/deliveries.ts';
import { isUnreachable } from './unreachable.ts';
import { storedOutgoing, type OutgoingMessage } from '../records/messages.ts';
import { epochMs, runPrepared, theOne } from '../pool/statements.ts';
import { newRowId } from '../pool/row-ids.ts';

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

/** SQL: the `Decision` of a payment as JSON, from the joined row `d`; null if there is none. */
export const decisionAsJson = sql`case when d.uetr is not null then jsonb_build_object(
  'status', d.status, 'reasonCode', d.reason_code, 'callbackMessageId', d.callback_message_id,
  'confirmationMessageId', d.confirmation_message_id) end`;

/** SQL: the `StoredReport` of a message as JSON; null if the message is missing. */
const reportAsJson = (message: RawBuilder<unknown>) => sql`case when ${message}.message_id is not null then
  jsonb_build_object('messageId', ${message}.message_id, 'status', ${message}.status, 'reasonCode', ${message}.reason_code) end`;

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
 * @param reportMessageId id of the destination's stored pacs.002 that the caller handles, if any
 * @returns undefined if no payment with this UETR was accepted
 */
export async function findDecidable(
  db: Db,
  uetr: string,
  reportMessageId: string | null = null,
): Promise<DecidablePayment | undefined> {
  // served by the primary keys, the unique index on (subject_id, kind) of deliveries and index
  // recorded_outcomes_standing
  const select = sql<DecidablePayment>`
    select p.uetr, p.source_clearing_system as "sourceSystem", p.destination_clearing_system as "destinationSystem",
      p.corridor, p.priority, ${epochMs(sql`p.judged_at`)} as "acceptedAt", p.message_id as "messageId",
      i.delivery_id as "instructionDeliveryId", p.source_references as "sourceReferences",
      p.destination_references as "destinationReferences", p.quote_id as "quoteId", p.fxp_id as "fxpId",
      p.exchange_rate as "exchangeRate", p.source_amount as "sourceAmount", p.source_currency as "sourceCurrency",
      p.destination_amount as "destinationAmount", p.destination_currency as "destinationCurrency",
      p.debtor_agent_id as "debtorAgentId", p.creditor_agent_id as "creditorAgentId",
      p.source_sap_id as "sourceSapId", p.source_account_id as "sourceAccountId",
      p.destination_sap_id as "destinationSapId", p.destination_account_id as "destinationAccountId",
      ${epochMs(sql`p.deadline_at`)} as "deadlineAt", ${epochMs(sql`clock_timestamp()`)} as now,
      ${decisionAsJson} as decision, ${reportAsJson(sql`r`)} as report, ${reportAsJson(sql`f`)} as "firstFinal",
      case when o.outcome_id is not null then jsonb_build_object(
        'outcomeId', o.outcome_id, 'status', o.status, 'reasonCode', o.reason_code) end as outcome
    from payments p
    join ${theOne(sql`deliveries where subject_id = p.uetr and kind = 'instruction' and begun_at = p.begun_at`)} i on true
    left join ${theOne(sql`decisions where uetr = p.uetr and begun_at = p.begun_at`)} d on true
    left join ${theOne(sql`messages where message_id = ${reportMessageId}::uuid`)} r on true
    left join ${theOne(sql`messages where message_id = i.final_report_id`)} f on true
    left join recorded_outcomes o on o.uetr = p.uetr and o.withdrawn_at is null and o.confirmed_at is not null
    where p.uetr = ${uetr} and p.accepted`;
  const [payment] = await runPrepared(db, 'load_decidable', select);
  return payment;
}

export interface DerivedDelivery {
  readonly kind: ToldKind;
  readonly message: OutgoingMessage;
}

export interface NewDecision {
  readonly uetr: string;
  /**
   * Message id of the submission that made the payment. The callback goes to the address that the submission
   * names.
   */
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

/** Columns of a new decision. Ids that are unknown or do not apply are left out. */
interface DecisionRow extends Pick<NewDecision, 'uetr' | 'status' | 'reasonCode' | 'ruleId' | 'decidedBy'> {
  readonly callbackMessageId: string;
  readonly reportMessageId?: string | null;
  readonly outcomeId?: string | null;
  readonly confirmationMessageId?: string;
  readonly notificationMessageId?: string | null;
  /**
   * SQL over `source`: whether the destination may have seen the payment, as known when the decision is
   * written.
   */
  readonly perhapsSeen: RawBuilder<unknown>;
}

/**
 * The only `insert into decisions`, as part of a larger statement. This file uses it for accepted payments.
 * payments.ts uses it for a submission that is rejected when it is judged (PAY-10). It never changes an
 * existing decision.
 * @param source SQL relation: one row with the payment's `begun_at` if the decision is to be written,
 *   otherwise no row
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
 * Compare-and-set: writes the decision with its messages and deliveries, closes the instruction to further
 * sends, and releases the quote of a rejected payment.
 * @returns false if the payment is already decided, another final report was stored first, or `onlyIf` does
 *   not hold
 */
export async function recordDecision(db: Db, decision: NewDecision): Promise<boolean> {
  if (decision.onlyIf !== 'unreachable') return writeDecision(db, decision);
  // a separate statement after the lock, because only its snapshot shows an outcome that operators confirmed
  // meanwhile
  const inTurn = async (trx: Db) => {
    await lockInstruction(trx, decision.uetr);
    return writeDecision(trx, decision);
  };
  return db.isTransaction ? inTurn(db) : db.transaction().execute(inTurn);
}

/** Takes a lock that serializes all decisions made without the destination. */
export async function lockInstruction(trx: Db, uetr: string): Promise<void> {
  await sql`
    select from deliveries where subject_id = ${uetr}::uuid and kind = 'instruction'
    for update`.execute(trx); // served by the unique index on (subject_id, kind)
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
  // possibly_sent counts all attempts except those that ended as NOT_SENT. Above 0, the destination may have
  // seen the payment. Every attempt to send updates the same row, so an attempt and a decision cannot miss
  // each other.
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
        ${column(newRowId)}::uuid[], ${column((d) => d.kind)}::text[],
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
 * Removes the confirmation of a payment that was decided without its destination while a send was under way,
 * if no byte of that send left. The destination then saw nothing. The confirmation stays if it was attempted,
 * if the destination has reported anything, or if another send may have been seen. One confirmation too many
 * is better than a missing one. Call this function in a separate statement after the attempt is settled,
 * because the decision may be written while that statement waits.
 */
export async function withdrawConfirmation(db: Db, instructionDeliveryId: string): Promise<void> {
  // served by the primary keys, the unique index on (subject_id, kind) and index messages_subject_id
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
