/**
 * The ledger of one destination operator: one row per UETR, with the actions taken and whether money moved. It decides
 * what a message means for the money; other files send and answer.
 */
import type { Pacs002 } from '../core/iso20022/pacs002.ts';
import type { Behaviour, Statement } from './behaviours.ts';
import type { ForwardedPacs008 } from './forwarded-pacs008.ts';

/** A pacs.002, made once and repeated byte for byte. */
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
  /** The address for reports, from the last send. */
  pacs002Endpoint: string;
  /** Sends answered with 503 so far. */
  refused: number;
  /** Whether the behaviour has begun; later sends are enquiries. */
  begun: boolean;
  movement: 'none' | 'moved' | 'reversed';
  /** The answer before the outcome was known. */
  interim: Report | undefined;
  /** The answer to an enquiry; undefined: not known yet. */
  report: Report | undefined;
}

export interface Ledger {
  row(uetr: string): LedgerRow | undefined;
  open(row: LedgerRow): void;
  /** Records a negative confirmation that came before its instruction. That instruction must never move money. */
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

/** The consequence of a confirmation, or of an unsolicited negative pacs.002, for a row. */
export interface Consequence {
  /** The original ids are not those of the row's pacs.008. */
  readonly mismatch: boolean;
  /** The credit is reversed; the payment may no longer be credited. */
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
