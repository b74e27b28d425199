/**
 * Builds the pacs.028 (payment status request) that enquires about a pacs.008 of ours, where the destination takes it instead of
 * the message once more (TIM-2), and reads it for whoever plays a destination.
 */
import { messages } from './messages.ts';
import { originalReferencesOf } from './pacs002.ts';
import type { Pacs008, Reading } from './pacs008.ts';
import { buildAgent, collapsed, compact, readAgent, type AgentIdentification } from './parties.ts';
import type { OriginalReferences } from './references.ts';
import { branch, elementAt, leaf, optionalLeaf, renderDocument, textAt, type XmlElement } from './tree.ts';

export interface Pacs028 {
  readonly messageId: string;
  readonly creationDateTime: string;
  readonly original: OriginalReferences;
  readonly acceptanceDateTime?: string;
  readonly instructingAgent?: AgentIdentification;
  readonly instructedAgent?: AgentIdentification;
}

const message = messages.pacs028;

/** The enquiry about a forwarded pacs.008, as text; it goes the way of that message. */
export function enquireAboutPacs008(
  forwarded: Pacs008,
  leg: { readonly messageId: string; readonly creationDateTime: string },
): string {
  const original = originalReferencesOf(forwarded);
  const { instructingAgent, instructedAgent } = forwarded;
  const transaction = branch(
    'TxInf',
    branch(
      'OrgnlGrpInf',
      leaf('OrgnlMsgId', original.messageId),
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
  const group = branch('GrpHdr', leaf('MsgId', leg.messageId), leaf('CreDtTm', leg.creationDateTime));
  return renderDocument(
    message.namespace,
    branch('Document', branch(message.messageElement, group, transaction)),
  );
}

/** The values of a pacs.028 that its schema found valid. */
export function readPacs028(document: XmlElement): Reading<Pacs028> {
  const text = (path: string) => textAt(document, `${message.messageElement}/${path}`);
  const agent = (name: string) => readAgent(elementAt(document, `${message.messageElement}/TxInf/${name}`));
  const created = text('TxInf/OrgnlGrpInf/OrgnlCreDtTm');
  const accepted = text('TxInf/AccptncDtTm');
  const value = compact<Pacs028>({
    messageId: text('GrpHdr/MsgId') ?? '',
    creationDateTime: collapsed(text('GrpHdr/CreDtTm') ?? ''),
    original: compact<OriginalReferences>({
      messageId: text('TxInf/OrgnlGrpInf/OrgnlMsgId') ?? '',
      messageNameId: text('TxInf/OrgnlGrpInf/OrgnlMsgNmId') ?? '',
      creationDateTime: created === undefined ? undefined : collapsed(created),
      instructionId: text('TxInf/OrgnlInstrId'),
      endToEndId: text('TxInf/OrgnlEndToEndId'),
      transactionId: text('TxInf/OrgnlTxId'),
      uetr: text('TxInf/OrgnlUETR') ?? '',
    }),
    acceptanceDateTime: accepted === undefined ? undefined : collapsed(accepted),
    instructingAgent: agent('InstgAgt'),
    instructedAgent: agent('InstdAgt'),
  });
  return { ok: true, value };
}
