// Reads the pacs.028 for whoever plays a destination: no process of ours takes one.
import { messages } from '../../core/iso20022/messages.ts';
import { compact } from '../../core/compact.ts';
import { collapsed, readAgent, type AgentIdentification } from '../../core/iso20022/parties.ts';
import type { OriginalReferences } from '../../core/iso20022/references.ts';
import { elementAt, textAt, type XmlElement } from '../../core/iso20022/tree.ts';
import type { Rejection } from '../../core/rejections/rejection.ts';
import { ok, type Result } from '../../core/result.ts';

interface Pacs028 {
  readonly messageIdentification: string;
  readonly creationDateTime: string;
  readonly original: OriginalReferences;
  readonly acceptanceDateTime?: string;
  readonly instructingAgent?: AgentIdentification;
  readonly instructedAgent?: AgentIdentification;
}

const message = messages.pacs028;

/** The values of a pacs.028 that its schema found valid. */
export function readPacs028(document: XmlElement): Result<Pacs028, Rejection> {
  const text = (path: string) => textAt(document, `${message.messageElement}/${path}`);
  const agent = (name: string) => readAgent(elementAt(document, `${message.messageElement}/TxInf/${name}`));
  const created = text('TxInf/OrgnlGrpInf/OrgnlCreDtTm');
  const accepted = text('TxInf/AccptncDtTm');
  const value = compact<Pacs028>({
    messageIdentification: text('GrpHdr/MsgId') ?? '',
    creationDateTime: collapsed(text('GrpHdr/CreDtTm') ?? ''),
    original: compact<OriginalReferences>({
      messageIdentification: text('TxInf/OrgnlGrpInf/OrgnlMsgId') ?? '',
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
  return ok(value);
}
