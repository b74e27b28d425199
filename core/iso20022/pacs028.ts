/**
 * Builds the pacs.028 (payment status request) about a pacs.008 of ours, for destinations that prefer it to receiving
 * the pacs.008 again (TIM-2).
 */
import { messages } from './messages.ts';
import { originalReferencesOf } from './pacs002.ts';
import type { Pacs008 } from './pacs008.ts';
import { buildAgent } from './parties.ts';
import { branch, leaf, optionalLeaf, renderDocument } from './tree.ts';

const message = messages.pacs028;

/** The enquiry about a forwarded pacs.008, as text; it goes the same way as that message. */
export function enquireAboutPacs008(
  forwarded: Pacs008,
  leg: { readonly messageIdentification: string; readonly creationDateTime: string },
): string {
  const original = originalReferencesOf(forwarded);
  const { instructingAgent, instructedAgent } = forwarded;
  const transaction = branch(
    'TxInf',
    branch(
      'OrgnlGrpInf',
      leaf('OrgnlMsgId', original.messageIdentification),
      leaf('OrgnlMsgNmId', original.messageNameId),
      optionalLeaf('OrgnlCreDtTm', original.creationDateTime),
    ),
    optionalLeaf('OrgnlInstrId', original.instructionId),
    optionalLeaf('OrgnlEndToEndId', original.endToEndId),
    optionalLeaf('OrgnlTxId', original.transactionId),
    leaf('OrgnlUETR', original.uetr),
    leaf('AccptncDtTm', forwarded.acceptanceDateTime.text),
    instructingAgent === undefined ? undefined : buildAgent('InstgAgt', instructingAgent),
    instructedAgent === undefined ? undefined : buildAgent('InstdAgt', instructedAgent),
  );
  const group = branch(
    'GrpHdr',
    leaf('MsgId', leg.messageIdentification),
    leaf('CreDtTm', leg.creationDateTime),
  );
  return renderDocument(
    message.namespace,
    branch('Document', branch(message.messageElement, group, transaction)),
  );
}
