/**
 * Builds the pacs.028 (payment status request) about a pacs.008 of ours, for destinations that prefer it to receiving
 * the pacs.008 again.
 */
import { messages } from './messages.ts';
import { originalElements, originalReferencesOf, renderAboutTransaction } from './original-transaction.ts';
import type { Pacs008 } from './pacs008.ts';
import { leaf } from './tree.ts';

/**
 * A trial message to an endpoint that is not used yet: about a payment that there is not, so that nothing follows
 * from it.
 */
export function enquireAboutNothing(ids: {
  readonly messageIdentification: string;
  readonly creationDateTime: string;
  readonly originalMessageIdentification: string;
  readonly uetr: string;
}): string {
  const { originalMessageIdentification: messageIdentification, uetr, ...leg } = ids;
  const messageNameId = messages.pacs008.identifier;
  const nothing = originalElements({ messageIdentification, messageNameId, uetr });
  return renderAboutTransaction(messages.pacs028, 'TxInf', leg, ...nothing);
}

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
