/**
 * The parts that the pacs.002 and the pacs.028 share: the references to the original transaction, and the frame around
 * them.
 */
import { messages, type MessageType } from './messages.ts';
import type { Pacs008 } from './pacs008.ts';
import { compact } from '../compact.ts';
import { buildAgent, type AgentIdentification } from './parties.ts';
import type { NamedAgents, OriginalReferences, ReportedReferences } from './references.ts';
import { branch, leaf, optionalLeaf, renderDocument, type XmlElement } from './tree.ts';

/** The ids of a pacs.008 that messages about it repeat. */
export function originalReferencesOf(pacs008: Pacs008): OriginalReferences {
  return compact<OriginalReferences>({
    messageIdentification: pacs008.messageIdentification,
    messageNameId: messages.pacs008.identifier,
    creationDateTime: pacs008.creationDateTime,
    instructionId: pacs008.instructionId,
    endToEndId: pacs008.endToEndId,
    transactionId: pacs008.transactionId,
    uetr: pacs008.uetr,
  });
}

/** Keeps BIC and LEI only. A member id or other id needs its payment system, and fxtr.017 has no element for that. */
const byBicOrLei = ({ bicfi, lei }: AgentIdentification = {}): AgentIdentification | undefined =>
  bicfi === undefined && lei === undefined ? undefined : compact<AgentIdentification>({ bicfi, lei });

export function namedAgentsOf(pacs008: Pacs008): NamedAgents {
  return compact<NamedAgents>({
    debtorAgent: byBicOrLei(pacs008.debtorAgent),
    creditorAgent: byBicOrLei(pacs008.creditorAgent),
    intermediaryAgent1: byBicOrLei(pacs008.intermediaryAgent1),
    intermediaryAgent2: byBicOrLei(pacs008.intermediaryAgent2),
  });
}

/** The elements from `OrgnlGrpInf` to `OrgnlUETR`. */
export function originalElements(original: ReportedReferences): readonly (XmlElement | undefined)[] {
  const { messageIdentification, messageNameId } = original;
  return [
    messageIdentification === undefined || messageNameId === undefined
      ? undefined
      : branch(
          'OrgnlGrpInf',
          leaf('OrgnlMsgId', messageIdentification),
          leaf('OrgnlMsgNmId', messageNameId),
          optionalLeaf('OrgnlCreDtTm', original.creationDateTime),
        ),
    optionalLeaf('OrgnlInstrId', original.instructionId),
    optionalLeaf('OrgnlEndToEndId', original.endToEndId),
    optionalLeaf('OrgnlTxId', original.transactionId),
    leaf('OrgnlUETR', original.uetr),
  ];
}

interface Frame {
  readonly messageIdentification: string;
  readonly creationDateTime: string;
  readonly instructingAgent?: AgentIdentification | undefined;
  readonly instructedAgent?: AgentIdentification | undefined;
}

/**
 * Renders the message as XML text.
 * @param name name of the transaction element
 * @param elements children of the transaction element that precede its agents
 */
export function renderAboutTransaction(
  message: MessageType,
  name: string,
  { messageIdentification, creationDateTime, instructingAgent, instructedAgent }: Frame,
  ...elements: readonly (XmlElement | undefined)[]
): string {
  const group = branch('GrpHdr', leaf('MsgId', messageIdentification), leaf('CreDtTm', creationDateTime));
  const transaction = branch(
    name,
    ...elements,
    instructingAgent === undefined ? undefined : buildAgent('InstgAgt', instructingAgent),
    instructedAgent === undefined ? undefined : buildAgent('InstdAgt', instructedAgent),
  );
  return renderDocument(
    message.namespace,
    branch('Document', branch(message.messageElement, group, transaction)),
  );
}
