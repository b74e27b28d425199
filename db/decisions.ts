// The decision of a payment: one row, written once, together with every message and delivery that derives from it
// (PAY-7, PAY-10). Whoever comes second reads the decision that stands.
import { sql } from 'kysely';
import type { RefusedPacs008 } from '../core/iso20022/references.ts';
import { recordAudit } from './audit.ts';
import type { Db } from './connection.ts';
import { insertOutgoing, type OutgoingMessage } from './messages.ts';
import type { StoredDecision } from './payments.ts';
import { runPrepared } from './prepared.ts';

/** What a decision and the messages that derive from it are made of. */
export interface DecidablePayment {
  readonly uetr: string;
  readonly sourceSystem: string;
  readonly destinationSystem: string;
  readonly messageId: string;
  readonly callbackUrl: string;
  readonly instructionDeliveryId: string;
  readonly sourceReferences: RefusedPacs008;
  readonly destinationReferences: RefusedPacs008;
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
  /** Database clock, epoch milliseconds. */
  readonly now: number;
  readonly decision: StoredDecision | null;
  /** The destination's report that is to be judged, if it is about one. */
  readonly report: { readonly status: string; readonly reasonCode: string | null } | null;
}

interface DecidableRow {
  uetr: string;
  source_clearing_system: string;
  destination_clearing_system: string;
  message_id: string;
  callback_url: string;
  instruction_delivery_id: string;
  source_references: RefusedPacs008;
  destination_references: RefusedPacs008;
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
  now: Date;
  decision_status: StoredDecision['status'] | null;
  decision_reason: string | null;
  callback_message_id: string;
  confirmation_message_id: string | null;
  report_status: string | null;
  report_reason: string | null;
}

/** As `findDecidable`, where the payment is known to have been accepted. */
export async function loadDecidable(
  db: Db,
  uetr: string,
  reportMessageId: string | null,
): Promise<DecidablePayment> {
  const payment = await findDecidable(db, uetr, reportMessageId);
  if (payment === undefined) throw new Error('only an accepted payment can be decided');
  return payment;
}

/**
 * An accepted payment with its decision, if there is one already; undefined when none was accepted under that UETR.
 * @param reportMessageId the destination's pacs.002 that is to be judged, if it is about one
 */
export async function findDecidable(
  db: Db,
  uetr: string,
  reportMessageId: string | null = null,
): Promise<DecidablePayment | undefined> {
  // primary keys; unique (uetr, kind) of deliveries
  const select = sql<DecidableRow>`
    select p.uetr, p.source_clearing_system, p.destination_clearing_system, p.message_id, m.answer_url as callback_url,
      i.delivery_id as instruction_delivery_id, p.source_references, p.destination_references, p.quote_id, p.fxp_id,
      p.exchange_rate, p.source_amount, p.source_currency, p.destination_amount, p.destination_currency,
      p.debtor_agent_id, p.creditor_agent_id, p.source_sap_id, p.source_account_id, p.destination_sap_id,
      p.destination_account_id, now() as now, d.status as decision_status, d.reason_code as decision_reason,
      d.callback_message_id, d.confirmation_message_id, r.status as report_status, r.reason_code as report_reason
    from payments p
    join messages m on m.message_id = p.message_id
    join deliveries i on i.uetr = p.uetr and i.kind = 'instruction'
    left join decisions d on d.uetr = p.uetr
    left join messages r on r.message_id = ${reportMessageId}::uuid
    where p.uetr = ${uetr} and p.accepted`;
  const [row] = await runPrepared(db, 'load_decidable', select);
  if (row === undefined) return undefined;
  return {
    uetr: row.uetr,
    sourceSystem: row.source_clearing_system,
    destinationSystem: row.destination_clearing_system,
    messageId: row.message_id,
    callbackUrl: row.callback_url,
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
    now: row.now.getTime(),
    decision:
      row.decision_status === null
        ? null
        : {
            status: row.decision_status,
            reasonCode: row.decision_reason,
            callbackMessageId: row.callback_message_id,
            confirmationMessageId: row.confirmation_message_id,
          },
    report: row.report_status === null ? null : { status: row.report_status, reasonCode: row.report_reason },
  };
}

/** A message that a decision sends, and where to. */
export interface DerivedDelivery {
  readonly deliveryId: string;
  readonly kind: 'callback' | 'confirmation' | 'notification';
  readonly url: string;
  readonly message: OutgoingMessage;
}

export interface NewDecision {
  readonly uetr: string;
  readonly status: StoredDecision['status'];
  readonly reasonCode: string | null;
  readonly ruleId: string | null;
  readonly decidedBy: 'destination' | 'gateway';
  readonly reportMessageId: string | null;
  readonly instructionDeliveryId: string;
  /** RJCT because no byte ever left: holds only while every attempt is NOT_SENT (TIM-3). */
  readonly onlyIfNeverSent: boolean;
  readonly callback: OutgoingMessage;
  readonly confirmation: OutgoingMessage;
  readonly notification: OutgoingMessage | null;
  readonly deliveries: readonly DerivedDelivery[];
}

/**
 * Compare-and-set: writes the decision with all that derives from it, closes the instruction to further sends and gives
 * a rejected payment's quote back (QUO-8).
 * @returns false when a decision stands already, or when `onlyIfNeverSent` no longer holds
 */
export async function recordDecision(db: Db, decision: NewDecision): Promise<boolean> {
  const { callback, confirmation, notification, deliveries } = decision;
  const messages = [callback, confirmation, ...(notification === null ? [] : [notification])];
  const column = <T>(pick: (delivery: DerivedDelivery) => T) => deliveries.map(pick);
  // The instruction's row is updated by every attempt to send it too, so that the two never pass each other.
  const write = sql<{ uetr: string }>`
    with instruction as (
      update deliveries
      set closed_at = coalesce(closed_at, now()), closed_reason = coalesce(closed_reason, 'decided')
      where delivery_id = ${decision.instructionDeliveryId}::uuid
        and (possibly_sent = 0 or not ${decision.onlyIfNeverSent}::boolean)
      returning delivery_id, possibly_sent
    ),
    decision as (
      insert into decisions (uetr, status, reason_code, rule_id, decided_by, report_message_id, callback_message_id,
        confirmation_message_id, notification_message_id)
      select ${decision.uetr}::uuid, ${decision.status}, ${decision.reasonCode}, ${decision.ruleId},
        ${decision.decidedBy}, ${decision.reportMessageId}::uuid, ${callback.messageId}::uuid,
        ${confirmation.messageId}::uuid, ${notification?.messageId ?? null}::uuid
      from instruction
      on conflict (uetr) do nothing
      returning uetr, status
    ),
    stored as (${insertOutgoing(messages, sql`exists (select from decision)`)}),
    derived as (
      insert into deliveries (delivery_id, uetr, kind, message_id, party, url)
      select derived.delivery_id, decision.uetr, kind, message_id, party, url
      from instruction, decision, unnest(
        ${column((d) => d.deliveryId)}::uuid[], ${column((d) => d.kind)}::text[],
        ${column((d) => d.message.messageId)}::uuid[], ${column((d) => d.message.party)}::text[],
        ${column((d) => d.url)}::text[]
      ) as derived (delivery_id, kind, message_id, party, url)
      where kind <> 'confirmation' or possibly_sent > 0 -- a destination that saw nothing has nothing to be told
    ),
    released as (
      delete from quote_uses where uetr = (select uetr from decision where status = 'RJCT')
    )
    select uetr from decision`;
  return (await runPrepared(db, 'record_decision', write)).length === 1;
}

/** A final of the destination after the decision: recorded, and an alert where it differs (PAY-7). */
export async function recordContradiction(
  db: Db,
  late: {
    readonly uetr: string;
    readonly party: string;
    readonly decision: StoredDecision;
    readonly report: { readonly status: string; readonly reasonCode: string | null };
  },
): Promise<void> {
  const { uetr, party, decision, report } = late;
  if (report.status === decision.status) return;
  await recordAudit(db, {
    severity: 'alert',
    kind: 'payment.contradiction',
    uetr,
    party,
    detail: {
      decided: decision.status,
      decidedReason: decision.reasonCode,
      reported: report.status,
      reportedReason: report.reasonCode,
    },
  });
}
