/**
 * Restores an operator's ledger from its journal after a restart of the sandbox, so that the operator never
 * credits a payment twice. It ignores instructions without an outcome, because no money moved. If the gateway
 * sends such an instruction again, it counts as new.
 */
import { isFinal } from '../core/payments/report.ts';
import { behaviourOf, type Statement } from './behaviours.ts';
import type { DestinationOperator } from './destination-operator.ts';
import { readForwardedPacs008, type ForwardedPacs008 } from './forwarded-pacs008.ts';
import { sha256Of } from './journal.ts';
import type { JournalEntry } from './journal-file.ts';
import type { LedgerRow, Report } from './ledger.ts';
import type { MessageReader } from './messages.ts';
import { rejectedByGateway } from './performance.ts';
import { makeReport } from './reports.ts';

/** The facts about one payment in the journal of an earlier run. */
interface Trace {
  readonly bytes: Uint8Array;
  movement: LedgerRow['movement'];
  /** The first final report that the operator sent. */
  report?: Report;
}

/** @param entries the journal entries of the operator, oldest first */
export async function restoreLedger(
  operator: Pick<DestinationOperator, 'ledger' | 'systems'>,
  entries: readonly JournalEntry[],
  reader: MessageReader,
): Promise<void> {
  const { ledger, systems } = operator;
  for (const [uetr, trace] of tracesOf(entries, (cancelled) => ledger.cancel(cancelled))) {
    if (trace.movement === 'none' && trace.report === undefined) continue;
    const reading = await reader.read(trace.bytes, 'pacs008', (document) =>
      readForwardedPacs008(document, systems),
    );
    if (reading.ok) ledger.open(restoredRow(uetr, trace, reading.value.values));
  }
}

function tracesOf(
  entries: readonly JournalEntry[],
  onCancelled: (uetr: string) => void,
): ReadonlyMap<string, Trace> {
  const traces = new Map<string, Trace>();
  for (const { uetr, bytes, direction, kind, status, messageId, violation, reasonCode } of entries) {
    if (uetr === undefined) continue;
    const trace = traces.get(uetr);
    if (kind === 'pacs008' && violation === undefined && bytes !== undefined) {
      if (trace === undefined) traces.set(uetr, { bytes, movement: 'none' });
    } else if (kind === 'ledger' && trace !== undefined) {
      trace.movement = status === 'reversed' ? 'reversed' : 'moved';
    } else if (direction === 'received' && status === 'RJCT' && trace === undefined) {
      onCancelled(uetr);
    } else if (
      direction === 'sent' &&
      trace !== undefined &&
      status !== undefined &&
      isFinal(status) &&
      bytes !== undefined
    ) {
      const statement: Statement = { status, ...(reasonCode === undefined ? {} : { reasonCode }) };
      trace.report ??= {
        messageIdentification: messageId ?? '',
        statement,
        text: Buffer.from(bytes).toString('utf8'),
      };
    }
  }
  return traces;
}

function restoredRow(uetr: string, trace: Trace, pacs008: ForwardedPacs008): LedgerRow {
  const { bytes, movement, report } = trace;
  const known = movement === 'reversed' ? undefined : report;
  return {
    uetr,
    sha256: sha256Of(bytes),
    pacs008,
    behaviour: behaviourOf(pacs008.creditorAccount),
    // the next send of the instruction sets the address, and no report is sent before that
    pacs002Endpoint: '',
    refused: 0,
    begun: true,
    movement,
    interim: undefined,
    report: known ?? makeReport({ pacs008 }, movement === 'moved' ? { status: 'ACCC' } : rejectedByGateway),
  };
}
