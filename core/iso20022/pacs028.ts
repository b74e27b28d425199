/**
 * Builds the pacs.028 (payment status request) about a pacs.008 of ours, for destinations that prefer it to receiving
 * the pacs.008 again (TIM-2).
 */
import { messages } from './messages.ts';
import { originalElements, originalReferencesOf, renderAboutTransaction } from './original-transaction.ts';
import type { Pacs008 } from './pacs008.ts';
import { leaf } from './tree.ts';

/** The enquiry about a forwarded pacs.008, as text; it goes the same way as that message. */
export function enquireAboutPacs008(
  forwarded: Pacs008,
  leg: { readonly messageIdentification: string; readonly creationDateTime: string },
): string {
  const { instructingAgent, instructedAgent } = forwarded;
  return renderAboutTransaction(
    messages.pacs028,
    'TxInf',
    { ...leg, instructingAgent, instructedAgent },
    ...originalElements(originalReferencesOf(forwarded)),
    leaf('AccptncDtTm', forwarded.acceptanceDateTime.text),
  );
}
