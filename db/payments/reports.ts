// Takes in a destination's pacs.002, whether it came in the HTTP answer to our instruction or the destination
// posted it. Judges the report, stores it once per content, and marks the first final report. From then on no
// other final report can decide.
import { sql } from 'kysely';
import { assert } from '../../core/assert.ts';
import {
  lateFinal,
  type Decision,
  type LateFinal,
  type LateSender,
  type StoredReport,
} from '../../core/payments/decision.ts';
import type { Pacs002 } from '../../core/iso20022/pacs002.ts';
import type { Rejection } from '../../core/rejections/rejection.ts';
import { expectedOriginal, judgeReport } from '../../core/payments/report.ts';
import type { Result } from '../../core/result.ts';
import { alertUnlessOpen, hasDetail, insertAudit, isAlert, alertAtLimit } from '../records/audit.ts';
import type { Db } from '../pool/connection.ts';
import type { DecidablePayment } from './decisions.ts';
import { askConfirmation, askDeadConfirmation, type MayAsk } from './asks.ts';
import { selectReceived, storedReceived } from '../records/messages.ts';
import { runPrepared } from '../pool/statements.ts';
import { refuseMessage, reportRefusals, type RefusedMessage } from '../records/refused-messages.ts';
import { newRowId } from '../pool/row-ids.ts';

/** The fault of bytes that are not a valid pacs.002. */
export interface InvalidReport {
  /** The reason in words, without any text from the sender. */
  readonly reason: string;
  /** Why the XML document is rejected; undefined: there is no XML document. */
  readonly rejection?: Rejection;
  /**
   * The status that the invalid report states. Null: not a valid code; undefined: there is no XML document.
   */
  readonly reported?: string | null;
}

/** The values of a valid report. `deviations`: differences from the usage guideline, in words. */
type ReportValues = Pacs002 & { readonly deviations?: readonly string[] };

export interface IncomingReport {
  readonly reading: Result<ReportValues, InvalidReport>;
  readonly body: Buffer;
  /** The sender, for the record of refused messages. */
  readonly party: string;
  /**
   * Id of our instruction if the report came in the HTTP answer to it. The confirmation is then delivered to
   * the destination. Null: the destination posted the report to us, and gets the confirmation in our HTTP
   * answer.
   */
  readonly inReplyTo: string | null;
  /** Whether the sender may revive a confirmation that was given up. Absent: it may. */
  readonly mayAsk?: MayAsk | undefined;
}

type ReportedPayment = Pick<
  DecidablePayment,
  'uetr' | 'destinationSystem' | 'destinationReferences' | 'decision'
>;

export type TakenReport =
  /** The report is not valid, and is stored as refused. */
  | { readonly kind: 'invalid'; readonly fault: InvalidReport }
  /**
   * The report is not about our instruction, and is stored as refused. `element` names the id that differs.
   */
  | { readonly kind: 'mismatch'; readonly element: string }
  | { readonly kind: 'interim' }
  /**
   * The final report counts from now on. The caller must decide the payment, unless another process has
   * decided it meanwhile.
   */
  | { readonly kind: 'final'; readonly reportMessageId: string }
  /**
   * A final report after the decision. It is stored, and the decision stays. `isConfirmationDue`: a
   * confirmation that had been given up is due again.
   */
  | { readonly kind: 'late'; readonly decision: Decision; readonly isConfirmationDue: boolean };

/**
 * Judges and stores a report.
 * @param payment as read before; if another process decides it meanwhile, the caller notices when it decides
 */
export async function takeReport(
  db: Db,
  payment: ReportedPayment,
  incoming: IncomingReport,
): Promise<TakenReport> {
  const { reading, body, party, inReplyTo, mayAsk } = incoming;
  const refuse = (as: 'invalid' | 'mismatch', fault: RefusedMessage['fault']) => {
    const kind = reportRefusals[inReplyTo === null ? 'request' : 'answer'][as];
    return refuseMessage(db, kind, { subjectId: payment.uetr, party, inReplyTo, body, fault });
  };
  if (!reading.ok) {
    const { reason, rejection, reported } = reading.refusal;
    await refuse('invalid', { reason, ruleId: rejection?.ruleId, reported });
    return { kind: 'invalid', fault: reading.refusal };
  }
  const { value: values } = reading;
  const judgement = judgeReport(values, payment.destinationReferences.original);
  if (judgement.kind === 'mismatch') {
    await refuse('mismatch', { reason: expectedOriginal(judgement.element), reported: values.status });
    return judgement;
  }
  const isFinal = judgement.kind === 'final';
  const messageId = await recordReport(db, payment, { values, body, inReplyTo, isFinal });
  if (!isFinal) return { kind: 'interim' };
  assert(messageId !== undefined, 'of each final status at least one report is stored');
  const { decision } = payment;
  if (decision === null) return { kind: 'final', reportMessageId: messageId };
  // the payment was decided before this report was stored, so the process that decided it may not have seen
  // the report
  const report = { messageId, status: values.status, reasonCode: values.reasonCode ?? null };
  const sender = inReplyTo === null ? 'answered' : 'untold';
  const isConfirmationDue = await takeLateFinal(db, { ...payment, decision }, { report, sender, mayAsk });
  return { kind: 'late', decision, isConfirmationDue };
}

interface StorableReport extends Pick<IncomingReport, 'body' | 'inReplyTo'> {
  readonly values: ReportValues;
  readonly isFinal: boolean;
}

const mostTold = 5; // deviations of one report that an event names
const mostStored = 100; // reports of one payment

/**
 * Stores a report. Marks the first final report of an undecided payment in the row of the instruction. That
 * report then decides the payment, because every decision updates the same row. Beyond the limit for a
 * payment, it stores only the first report of each final status.
 * @returns the id of the stored report; if it is not stored, the id of the first report with the same status,
 *   or undefined
 */
async function recordReport(
  db: Db,
  { uetr, destinationSystem: party }: Pick<ReportedPayment, 'uetr' | 'destinationSystem'>,
  { values, body, inReplyTo, isFinal }: StorableReport,
): Promise<string | undefined> {
  const message = {
    subjectId: uetr,
    type: 'pacs002',
    messageIdentification: values.messageIdentification,
    leg: 'destination',
    party,
    status: values.status,
    reasonCode: values.reasonCode,
    inReplyTo: inReplyTo ?? undefined,
    body,
  } as const;
  const reportMessageId = newRowId();
  const { deviations = [] } = values;
  const event = {
    kind: 'payment.report-deviates',
    subjectId: uetr,
    party,
    detail: {
      reportMessageId,
      count: deviations.length,
      deviations: deviations.slice(0, mostTold).join(' | '),
    },
  } as const;
  const earlier = sql`
    select message_id, status, created_at from messages
    where subject_id = ${uetr} and direction = 'in' and leg = 'destination' and message_type = 'pacs002'`; // served by index messages_subject_id
  const ofStatus = sql`select message_id from (${earlier}) e where status = ${values.status}`;
  const write = sql<{ message_id: string | null; isLeft: boolean }>`
    with known as (${selectReceived(message)}),
    room as (
      select count(*) < ${sql.lit(mostStored)} or ${isFinal}::boolean and not exists (${ofStatus}) as is_there
      from (${earlier} limit ${sql.lit(mostStored)}) e
    ),
    ${storedReceived(db, reportMessageId, message, sql`(select is_there from room)`)},
    told as (${insertAudit(deviations.length === 0 ? null : event, sql`exists (select from received)`)}),
    stored as (
      select message_id from received
      union all
      select message_id from known
      union all
      (${ofStatus} and not exists (select from known) and not (select is_there from room) order by created_at limit 1)
    ),
    marked as (
      update deliveries set final_report_id = (select message_id from stored limit 1) -- index: unique (subject_id, kind)
      where subject_id = ${uetr} and kind = 'instruction' and closed_at is null and final_report_id is null
        and ${isFinal}::boolean and exists (select from stored)
    )
    select (select message_id from stored limit 1) as message_id,
      not is_there and not exists (select from known) as "isLeft"
    from room`;
  for (;;) {
    const [stored] = await runPrepared(db, 'record_report', write);
    if (stored?.isLeft) await alertAtLimit(db, party, 'reports', uetr);
    if (stored?.message_id != null || stored?.isLeft) return stored.message_id ?? undefined;
    // another process has just stored the same bytes, so the next try finds them
  }
}

type DecidedPayment = Pick<DecidablePayment, 'uetr' | 'destinationSystem'> & {
  readonly decision: Decision;
};

interface Late extends Pick<IncomingReport, 'mayAsk'> {
  readonly report: StoredReport;
  readonly sender: LateSender;
}

/**
 * Handles a final report of the destination that came after the decision. Requests a confirmation if one is
 * needed, and raises an alert if the report contradicts the decision. The decision stays.
 * @returns whether a confirmation that had been given up is due again
 */
export async function takeLateFinal(
  db: Db,
  payment: DecidedPayment,
  { report, sender, mayAsk }: Late,
): Promise<boolean> {
  const { status } = report;
  const { isContradiction, confirmation } = lateFinal(payment.decision, { status, sender });
  const isConfirmationDue = await confirm(db, payment, { report, confirmation, mayAsk });
  // last, because the sweep handles this report again until the contradiction is recorded
  if (isContradiction) await recordContradiction(db, payment, report); // seam: contradiction
  return isConfirmationDue;
}

/** @returns whether a confirmation that had been given up is due again */
async function confirm(
  db: Db,
  { uetr, destinationSystem: party, decision }: DecidedPayment,
  { report, confirmation, mayAsk }: Pick<LateFinal, 'confirmation'> & Pick<Late, 'report' | 'mayAsk'>,
): Promise<boolean> {
  const { confirmationMessageId: messageId } = decision;
  if (confirmation === null || messageId === null) return false;
  if (confirmation === 'ask-if-given-up') {
    return askDeadConfirmation(db, { uetr, party, reportMessageId: report.messageId }, mayAsk);
  }
  await askConfirmation(db, { uetr, messageId, party });
  return false;
}

const manyContradictions = 60; // contradictions by one party in a minute

/**
 * Raises one alert per payment and reported status, and another only after an operator has closed that one.
 * If one party contradicts many payments, each payment still has its alert, and the party gets an additional
 * one.
 */
async function recordContradiction(
  db: Db,
  { uetr, destinationSystem, decision }: DecidedPayment,
  report: StoredReport,
): Promise<void> {
  const detail = {
    decided: decision.status,
    decidedReason: decision.reasonCode,
    reported: report.status,
    reportedReason: report.reasonCode,
    reportMessageId: report.messageId,
  };
  const kind = 'payment.contradiction';
  const told = await sql`
    select from audit_events where subject_id = ${uetr} and kind = 'payment.contradiction'
      and detail ->> 'reportMessageId' = ${report.messageId}`.execute(db); // served by index audit_events_contradictions
  if (told.rows.length > 0) return;
  const event = { kind, subjectId: uetr, party: destinationSystem, detail } as const;
  const isSame = sql`e.subject_id = ${uetr} and ${hasDetail({ reported: report.status })}`;
  if (!(await alertUnlessOpen(db, event, isSame))) return;
  const latest = await sql`
    select from audit_events e
    where ${isAlert} and e.occurred_at > clock_timestamp() - interval '1 minute' and e.kind = 'payment.contradiction'
      and e.party = ${destinationSystem}
    limit ${sql.lit(manyContradictions)}`.execute(db); // served by index audit_events_alerts
  if (latest.rows.length === manyContradictions)
    await alertAtLimit(db, destinationSystem, 'contradictions', uetr);
}
