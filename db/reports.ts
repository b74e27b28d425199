// Where a destination's pacs.002 is taken in, whichever way it came: in the HTTP answer to our instruction, or at our
// address (PAY-8). It is judged, stored once per content and marked where it is the first final; of one that comes after
// the decision those are told whom core/decision.ts names (PAY-7, PAY-9). It writes no decision, but from the mark on no
// other final can make one.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import {
  lateFinal,
  type Decision,
  type LateFinal,
  type LateSender,
  type StoredReport,
} from '../core/decision.ts';
import type { Pacs002 } from '../core/iso20022/pacs002.ts';
import type { Rejection } from '../core/rejection.ts';
import { expectedOriginal, judgeReport } from '../core/report.ts';
import type { Result } from '../core/result.ts';
import { insertAudit } from './audit.ts';
import type { Db } from './connection.ts';
import type { DecidablePayment } from './decisions.ts';
import { askConfirmation, askDeadConfirmation } from './asks.ts';
import { selectReceived, storedReceived } from './messages.ts';
import { runPrepared } from './prepared.ts';
import { refuseMessage, reportRefusals, type RefusedMessage } from './refused-messages.ts';

/** Bytes that are no valid pacs.002. */
export interface InvalidReport {
  /** In words, without the sender's text (MSG-13). */
  readonly reason: string;
  /** Undefined: there is no document that could be judged. */
  readonly rejection?: Rejection;
  /** The status that it states all the same; null: none that is a code; undefined: there is no document. */
  readonly reported?: string | null;
}

/** The values of a report that counts; `deviations`: what the usage guideline does not have (PAY-11), in words. */
type ReportValues = Pacs002 & { readonly deviations?: readonly string[] };

/** What a destination sent about one of its payments. */
export interface IncomingReport {
  readonly reading: Result<ReportValues, InvalidReport>;
  readonly body: Buffer;
  /** Who has sent it, for the record of what does not count. */
  readonly party: string;
  /**
   * Our instruction, where it came in the HTTP answer to that: its confirmation is delivered to the destination's
   * address. Null: it came to ours, and its sender waits for the confirmation in the answer to its own request (PAY-9).
   */
  readonly inReplyTo: string | null;
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
  const { reading, body, party, inReplyTo } = incoming;
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
  const { decision } = payment;
  if (decision === null) return { kind: 'final', reportMessageId: messageId };
  // decided before it was stored: nobody else may be there to take it (LIF-3)
  const report = { messageId, status: values.status, reasonCode: values.reasonCode ?? null };
  const sender = inReplyTo === null ? 'answered' : 'untold';
  const isConfirmationDue = await takeLateFinal(db, { ...payment, decision }, { report, sender });
  return { kind: 'late', decision, isConfirmationDue };
}

interface StorableReport extends Pick<IncomingReport, 'body' | 'inReplyTo'> {
  readonly values: ReportValues;
  readonly isFinal: boolean;
}

const mostTold = 5; // deviations of one report

/**
 * Once it is stored, the first final of an undecided payment decides it, whatever the cause of the decision (PAY-7): it
 * is marked in the instruction's row, which a decision updates too.
 * @returns the id of its row
 */
async function recordReport(
  db: Db,
  { uetr, destinationSystem: party }: Pick<ReportedPayment, 'uetr' | 'destinationSystem'>,
  { values, body, inReplyTo, isFinal }: StorableReport,
): Promise<string> {
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
  const write = sql<{ message_id: string }>`
    with ${storedReceived(db, reportMessageId, message)},
    told as (${insertAudit(deviations.length === 0 ? null : event, sql`exists (select from received)`)}),
    stored as (
      select message_id from received
      union all
      ${selectReceived(message)}
    ),
    marked as (
      update deliveries set final_report_id = (select message_id from stored limit 1) -- index: unique (subject_id, kind)
      where subject_id = ${uetr} and kind = 'instruction' and closed_at is null and final_report_id is null
        and ${isFinal}::boolean and exists (select from stored)
    )
    select message_id from stored`;
  for (;;) {
    const [stored] = await runPrepared(db, 'record_report', write);
    if (stored !== undefined) return stored.message_id;
    // the same bytes were being stored at this very moment: now they are
  }
}

type DecidedPayment = Pick<DecidablePayment, 'uetr' | 'destinationSystem'> & {
  readonly decision: Decision;
};

/**
 * A final of the destination when the decision stands: whoever must know is told, and what was decided stays (PAY-7,
 * PAY-9).
 * @returns whether a confirmation that had been given up is due again
 */
export async function takeLateFinal(
  db: Db,
  payment: DecidedPayment,
  { report, sender }: { readonly report: StoredReport; readonly sender: LateSender },
): Promise<boolean> {
  const { status } = report;
  const { isContradiction, confirmation } = lateFinal(payment.decision, { status, sender });
  const isConfirmationDue = await confirm(db, payment, { report, confirmation });
  // last: while it is missing, the sweep comes back to this report (LIF-2)
  if (isContradiction) await recordContradiction(db, payment, report);
  return isConfirmationDue;
}

/** @returns whether one that had been given up is due again */
async function confirm(
  db: Db,
  { uetr, destinationSystem: party, decision }: DecidedPayment,
  { report, confirmation }: Pick<LateFinal, 'confirmation'> & { readonly report: StoredReport },
): Promise<boolean> {
  const { confirmationMessageId: messageId } = decision;
  if (confirmation === null || messageId === null) return false;
  if (confirmation === 'ask-if-given-up') {
    return askDeadConfirmation(db, { uetr, party, reportMessageId: report.messageId });
  }
  await askConfirmation(db, { uetr, messageId, party });
  return false;
}

/** An alert, one per report (PAY-7). */
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
  const isNew = sql`not exists (
    select from audit_events where subject_id = ${uetr} and kind = 'payment.contradiction'
      and detail ->> 'reportMessageId' = ${report.messageId})`; // index audit_events_contradictions
  const event = { kind, subjectId: uetr, party: destinationSystem, detail } as const;
  await insertAudit(event, isNew).execute(db);
}
