/**
 * Builds a pacs.002 of a destination, delivers it to the address that the gateway gave, and journals it with
 * its bytes.
 */
import { randomUUID } from 'node:crypto';
import { answerPacs008, type StatusStatement } from '../core/iso20022/pacs002.ts';
import type { Statement } from './behaviours.ts';
import type { Journal, NewEntry } from './journal.ts';
import type { LedgerRow, Report } from './ledger.ts';
import type { Log, SandboxTimings } from './options.ts';
import type { Attempt, Outbound } from './outbound.ts';

export interface ReportingTools {
  /** Name of the operator in the journal, such as `destination/IPSO-TH`. */
  readonly party: string;
  readonly journal: Journal;
  readonly outbound: Outbound;
  readonly timings: SandboxTimings;
  readonly log: Log;
  /** Called with the body of the gateway's answer to a report, which is its confirmation. */
  readonly onConfirmation: (row: LedgerRow, body: Uint8Array) => Promise<void>;
}

/** Builds a pacs.002 with a new message id about the row's pacs.008. */
export function makeReport(row: Pick<LedgerRow, 'pacs008'>, statement: Statement): Report {
  const messageIdentification = randomUUID().replaceAll('-', ''); // at most 35 characters (Max35Text)
  const values: StatusStatement = {
    messageIdentification,
    creationDateTime: new Date().toISOString(),
    ...statement,
  };
  return { messageIdentification, statement, text: answerPacs008(row.pacs008.references, values) };
}

export function sentEntry(party: string, row: LedgerRow, report: Report): NewEntry {
  const { status, reasonCode } = report.statement;
  return {
    party,
    direction: 'sent',
    kind: 'pacs002',
    uetr: row.uetr,
    messageId: report.messageIdentification,
    status,
    ...(reasonCode === undefined ? {} : { reasonCode }),
    bytes: Buffer.from(report.text),
  };
}

/**
 * Sends a separate report until the gateway accepts it, then passes the gateway's confirmation to
 * `onConfirmation`.
 */
export async function deliverReport(tools: ReportingTools, row: LedgerRow, report: Report): Promise<void> {
  const { party, journal, outbound, timings, log, onConfirmation } = tools;
  const { pacs002Endpoint: url, pacs008 } = row;
  const post = { url, clearingSystemId: pacs008.clearingSystem.clearingSystemId, body: report.text };
  const onAttempt = (attempt: Attempt) =>
    void journal.record({
      ...sentEntry(party, row, report),
      sentAt: attempt.sentAt,
      ...(attempt.httpStatus === undefined ? { note: attempt.error } : { httpStatus: attempt.httpStatus }),
    });
  const answer = await outbound.deliver(post, timings.retryDelaysMs, onAttempt);
  if (answer === undefined) log('report-given-up', { party, uetr: row.uetr });
  else await onConfirmation(row, answer.body);
}
