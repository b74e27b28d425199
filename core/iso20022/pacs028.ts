/**
 * Builds the pacs.028 (payment status request) about a pacs.008 that the gateway sent. Some destinations
 * prefer it to a repeated pacs.008.
 */
import { messages } from './messages.ts';
import { originalElements, originalReferencesOf, renderAboutTransaction } from './references.ts';
import type { Pacs008 } from './pacs008.ts';
import { leaf } from './tree.ts';

/**
 * Renders a trial message for an endpoint. It asks about a payment that does not exist, so that it has no effect.
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

/**
 * Renders the enquiry about a forwarded pacs.008 as XML text. It travels the same way as the pacs.008, so its
 * agents stay.
 */
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
