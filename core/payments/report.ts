/**
 * Judges a destination's pacs.002: whether it is about the gateway's instruction, and whether it is final.
 * All reports are judged alike, whichever way they arrive.
 */
import { messages } from '../iso20022/messages.ts';
import type { Pacs002, TransactionStatus } from '../iso20022/pacs002.ts';
import type { OriginalReferences } from '../iso20022/references.ts';
import { trimmed } from '../iso20022/tree.ts';

/** The statuses that end a payment; ACTC and ACWP are interim. */
export const finalStatuses = ['ACCC', 'RJCT', 'BLCK'] as const satisfies readonly TransactionStatus[];
export type FinalStatus = (typeof finalStatuses)[number];

export function isFinal(status: string): status is FinalStatus {
  return finalStatuses.some((one) => one === status);
}

export type ReportJudgement =
  /**
   * The report is about another message; `element` is the first id that differs from the forwarded pacs.008.
   */
  | { readonly kind: 'mismatch'; readonly element: string }
  /** The final status comes later. */
  | { readonly kind: 'interim' }
  | { readonly kind: 'final' };

/** @param sent the ids of the forwarded pacs.008 */
export function judgeReport(report: Pacs002, sent: OriginalReferences): ReportJudgement {
  const element = findMismatch(report, sent);
  if (element !== undefined) return { kind: 'mismatch', element };
  return { kind: isFinal(report.status) ? 'final' : 'interim' };
}

/** Tells the sender of a wrong id which id the gateway expects. */
export function expectedOriginal(element: string): string {
  const ours =
    element === 'OrgnlMsgNmId'
      ? messages.pacs008.identifier
      : `the ${element.replace('Orgnl', '')} of the pacs.008 that you got from us`;
  return `${element} must be ${ours}`;
}

/**
 * The first id that differs from the forwarded pacs.008. An id that either message omits is not compared.
 * White space around an id is ignored.
 */
function findMismatch({ original, groups = [] }: Pacs002, sent: OriginalReferences): string | undefined {
  if (original.uetr !== sent.uetr) return 'OrgnlUETR';
  const named = [original, ...groups].flatMap((one) => [
    ['OrgnlMsgId', one.messageIdentification, sent.messageIdentification] as const,
    ['OrgnlMsgNmId', one.messageNameId, sent.messageNameId] as const,
  ]);
  const others = [
    ...named,
    ['OrgnlInstrId', original.instructionId, sent.instructionId],
    ['OrgnlEndToEndId', original.endToEndId, sent.endToEndId],
    ['OrgnlTxId', original.transactionId, sent.transactionId],
  ] as const;
  return others.find(
    ([element, told, ours]) => told !== undefined && ours !== undefined && !isSame(element, told, ours),
  )?.[0];
}

const leastNameId = 'pacs.008'.length;

/** Compares two ids. The name of the message may lack its variant and version. */
function isSame(element: string, told: string, ours: string): boolean {
  const id = trimmed(told);
  if (element !== 'OrgnlMsgNmId') return id === ours;
  return id === ours || (id.length >= leastNameId && ours.startsWith(`${id}.`));
}
