// Where a destination's pacs.002 is taken in, whichever way it came: in the HTTP answer to our instruction, or at our
// address. It is judged, stored once per content and marked where it is the first final; of one that comes after
// the decision those are told whom core/payments/decision.ts names. It writes no decision, but from the mark on no
// other final can make one.
import { randomUUID } from 'node:crypto';
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
import { alertUnlessOpen, hasDetail, insertAudit, isAlert } from '../records/audit.ts';
import type { Db } from '../pool/connection.ts';
import type { DecidablePayment } from './decisions.ts';
import { askConfirmation, askDeadConfirmation, type MayAsk } from './asks.ts';
import { alertAtLimit } from '../records/at-limit.ts';
import { selectReceived, storedReceived } from '../records/messages.ts';
import { runPrepared } from '../pool/prepared.ts';
import { refuseMessage, reportRefusals, type RefusedMessage } from '../records/refused-messages.ts';

/** Bytes that are no valid pacs.002. */
export interface InvalidReport {
  /** In words, without the sender's text. */
  readonly reason: string;
  /** Undefined: there is no document that could be judged. */
  readonly rejection?: Rejection;
  /** The status that it states all the same; null: none that is a code; undefined: there is no document. */
  readonly reported?: string | null;
}

/** The values of a report that counts; `deviations`: what the usage guideline does not have, in words. */
type ReportValues = Pacs002 & { readonly deviations?: readonly string[] };

/** What a destination sent about one of its payments. */
export interface IncomingReport {
  readonly reading: Result<ReportValues, InvalidReport>;
  readonly body: Buffer;
  /** Who has sent it, for the record of what does not count. */
  readonly party: string;
  /**
   * Our instruction, where it came in the HTTP answer to that: its confirmation is delivered to the destination's
   * address. Null: it came to ours, and its sender waits for the confirmation in the answer to its own request.
   */
  readonly inReplyTo: string | null;
  /** Whether it may bring back a confirmation that was given up; default: it may. */
  readonly mayAsk?: MayAsk | undefined;
}

/** What is known of the payment that it is about. */
type ReportedPayment = Pick<
  DecidablePayment,
  'uetr' | 'destinationSystem' | 'destinationReferences' | 'decision'
>;

export type TakenReport =
  /** It does not count, and is on record as refused. */
  | { readonly kind: 'invalid'; readonly fault: InvalidReport }
  /** The same, because it is not about the instruction that we sent: `element` is the id that is not ours. */
  | { readonly kind: 'mismatch'; readonly element: string }
  | { readonly kind: 'interim' }
  /** It counts from now on. The caller brings it to the decision, which may have been written at this very moment. */
  | { readonly kind: 'final'; readonly reportMessageId: string }
  /**
   * A final of a payment that was decided before: on record, and without effect on that. `isConfirmationDue`: the
   * confirmation that had been given up is to be delivered again.
   */
  | { readonly kind: 'late'; readonly decision: Decision; readonly isConfirmationDue: boolean };

/**
 * @param payment as read before; if it is decided in between, the caller finds out when it brings the report to the
 * decision
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
  // decided before it was stored: nobody else may be there to take it
  const report = { messageId, status: values.status, reasonCode: values.reasonCode ?? null };
  const sender = inReplyTo === null ? 'answered' : 'untold';
  const isConfirmationDue = await takeLateFinal(db, { ...payment, decision }, { report, sender, mayAsk });
  return { kind: 'late', decision, isConfirmationDue };
}

interface StorableReport extends Pick<IncomingReport, 'body' | 'inReplyTo'> {
  readonly values: ReportValues;
  readonly isFinal: boolean;
}

const mostTold = 5; // deviations of one report
const mostStored = 100; // reports of one payment

/**
 * Once it is stored, the first final of an undecided payment decides it, whatever the cause of the decision: it
 * is marked in the instruction's row, which a decision updates too. Beyond the limit of a payment none is stored but the first
 * of each final status.
 * @returns the id of its row; if it is not stored, that of the first with its status, or undefined
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
  const reportMessageId = randomUUID();
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
    where subject_id = ${uetr} and direction = 'in' and leg = 'destination' and message_type = 'pacs002'`; // messages_subject_id
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
    // the same bytes were being stored at this very moment: now they are
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
 * A final of the destination when the decision stands: whoever must know is told, and what was decided stays.
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
  // last: while it is missing, the sweep comes back to this report
  if (isContradiction) await recordContradiction(db, payment, report); // seam: contradiction
  return isConfirmationDue;
}

/** @returns whether one that had been given up is due again */
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

const manyContradictions = 60; // of one party in a minute

/**
 * Raises one alert per payment and status, and another only once that is closed. A party that contradicts many
 * payments hides none of them, and is an alert of its own.
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
      and detail ->> 'reportMessageId' = ${report.messageId}`.execute(db); // index audit_events_contradictions
  if (told.rows.length > 0) return;
  const event = { kind, subjectId: uetr, party: destinationSystem, detail } as const;
  const isSame = sql`e.subject_id = ${uetr} and ${hasDetail({ reported: report.status })}`;
  if (!(await alertUnlessOpen(db, event, isSame))) return;
  const latest = await sql`
    select from audit_events e
    where ${isAlert} and e.occurred_at > clock_timestamp() - interval '1 minute' and e.kind = 'payment.contradiction'
      and e.party = ${destinationSystem}
    limit ${sql.lit(manyContradictions)}`.execute(db); // index audit_events_alerts
  if (latest.rows.length === manyContradictions)
    await alertAtLimit(db, destinationSystem, 'contradictions', uetr);
}
