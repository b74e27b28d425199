/**
 * The ledger of one destination operator. Each UETR has one row, with the operator's answers so far and
 * whether money moved. This file decides whether a confirmation reverses the credit. Other files send
 * messages and answers.
 */
import type { Pacs002 } from '../core/iso20022/pacs002.ts';
import type { Behaviour, Statement } from './behaviours.ts';
import type { ForwardedPacs008 } from './forwarded-pacs008.ts';

/** A pacs.002 of the operator. It is built once, and repeats have the same bytes. */
export interface Report {
  readonly messageIdentification: string;
  readonly statement: Statement;
  readonly text: string;
}

export interface LedgerRow {
  readonly uetr: string;
  readonly sha256: string;
  readonly pacs008: ForwardedPacs008;
  readonly behaviour: Behaviour;
  /** The address for reports in the last send of the instruction. */
  pacs002Endpoint: string;
  /** Number of sends that the operator has refused with 503. */
  refused: number;
  /** Whether the operator has begun to process the instruction. Later sends are enquiries. */
  begun: boolean;
  movement: 'none' | 'moved' | 'reversed';
  /** The answer that was given before the outcome was known. */
  interim: Report | undefined;
  /** The report with the outcome, which answers enquiries; undefined until the outcome is known. */
  report: Report | undefined;
}

export interface Ledger {
  row(uetr: string): LedgerRow | undefined;
  open(row: LedgerRow): void;
  /**
   * Records a negative confirmation that arrived before the instruction. If the instruction arrives later, it
   * must not move money.
   */
  cancel(uetr: string): void;
  isCancelled(uetr: string): boolean;
}

export function openLedger(): Ledger {
  const rows = new Map<string, LedgerRow>();
  const cancelled = new Set<string>();
  return {
    row: (uetr) => rows.get(uetr),
    open: (row) => void rows.set(row.uetr, row),
    cancel: (uetr) => void cancelled.add(uetr),
    isCancelled: (uetr) => cancelled.has(uetr),
  };
}

/** The effect of a confirmation, or of an unsolicited negative pacs.002, on a row. */
export interface Consequence {
  /** Whether the original ids in the message differ from those of the row's pacs.008. */
  readonly mismatch: boolean;
  /** Whether the operator must reverse the credit and never credit the payment again. */
  readonly reverses: boolean;
  readonly violation?: string;
}

/** Compares the gateway's statement about a payment with this operator's own knowledge. */
export function judgeConfirmation(row: LedgerRow, stated: Pacs002): Consequence {
  const { original } = row.pacs008.references;
  if (stated.original.messageIdentification !== original.messageIdentification) {
    return {
      mismatch: true,
      reverses: false,
      violation: 'PAY-9: the original ids are not those of our pacs.008',
    };
  }
  const own = row.report?.statement.status;
  if (stated.status === 'RJCT' && own !== 'RJCT') {
    const allowed = row.pacs008.priority === 'HIGH';
    return {
      mismatch: false,
      reverses: true,
      ...(allowed ? {} : { violation: 'TIM-2: a NORM payment was rejected that may have been credited' }),
    };
  }
  if (stated.status !== own) {
    const violation = `PAY-9: ${stated.status} was confirmed, the payment is ${own ?? 'undecided'} here`;
    return { mismatch: false, reverses: false, violation };
  }
  return { mismatch: false, reverses: false };
}
