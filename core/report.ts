/**
 * Whether a destination's pacs.002 is about the instruction that we sent it (PAY-8): its original ids must be ours.
 */
import type { Pacs002, TransactionStatus } from './iso20022/pacs002.ts';
import type { OriginalReferences } from './iso20022/references.ts';

export type FinalStatus = Extract<TransactionStatus, 'ACCC' | 'RJCT' | 'BLCK'>;

/** ACCC, RJCT and BLCK are final; ACTC and ACWP are interim (PAY-7). */
export function isFinal(status: TransactionStatus): status is FinalStatus {
  return status === 'ACCC' || status === 'RJCT' || status === 'BLCK';
}

/**
 * @param sent the ids of the forwarded pacs.008
 * @returns the name of the first id that does not match; ids that the report leaves out are not compared
 */
export function findMismatch(report: Pacs002, sent: OriginalReferences): string | undefined {
  const { original } = report;
  if (original.uetr !== sent.uetr) return 'OrgnlUETR';
  if (original.messageId !== sent.messageId) return 'OrgnlMsgId';
  if (original.messageNameId !== sent.messageNameId) return 'OrgnlMsgNmId';
  const others = [
    ['OrgnlInstrId', original.instructionId, sent.instructionId],
    ['OrgnlEndToEndId', original.endToEndId, sent.endToEndId],
    ['OrgnlTxId', original.transactionId, sent.transactionId],
  ] as const;
  return others.find(([, told, ours]) => told !== undefined && told !== ours)?.[0];
}
