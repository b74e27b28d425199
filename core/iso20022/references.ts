/**
 * Reads the values of a message that its answer repeats: the keys, and other values if they are well formed.
 * It reads them before schema validation. A value that an answer cannot carry is omitted, never repaired.
 * This file also renders the elements that surround these values in a pacs.002 and a pacs.028.
 */
import { isBic, isIdentifier, isLei, isUuidV4 } from '../ids.ts';
import { ok, refused, type Result } from '../result.ts';
import { messages, type MessageName, type MessageType } from './messages.ts';
import type { Pacs008 } from './pacs008.ts';
import { compact } from '../compact.ts';
import { buildAgent, collapsed, readAgent, type AgentIdentification } from './parties.ts';
import {
  branch,
  leaf,
  optionalLeaf,
  renderDocument,
  elementAt,
  textAt,
  type XmlElement,
  showsNothing,
} from './tree.ts';

/** The ids of an original message, as a pacs.002 repeats them. */
export interface OriginalReferences {
  readonly messageIdentification: string;
  /** The name that ISO publishes, e.g. `pacs.008.001.13`. */
  readonly messageNameId: string;
  readonly creationDateTime?: string;
  readonly instructionId?: string;
  readonly endToEndId?: string;
  readonly transactionId?: string;
  readonly uetr: string;
}

/** The ids that a party repeats in its report. All but the UETR are optional. */
export type ReportedReferences = Partial<OriginalReferences> & Pick<OriginalReferences, 'uetr'>;

/** Identifies a message. Only some kinds of message have a `uetr`. */
export interface MessageKey {
  readonly messageIdentification: string;
  readonly uetr?: string;
}

const keyPaths: Readonly<Record<MessageName, { messageIdentification: string; uetr?: string }>> = {
  pacs008: {
    messageIdentification: 'FIToFICstmrCdtTrf/GrpHdr/MsgId',
    uetr: 'FIToFICstmrCdtTrf/CdtTrfTxInf/PmtId/UETR',
  },
  pacs002: {
    messageIdentification: 'FIToFIPmtStsRpt/GrpHdr/MsgId',
    uetr: 'FIToFIPmtStsRpt/TxInfAndSts/OrgnlUETR',
  },
  pacs028: { messageIdentification: 'FIToFIPmtStsReq/GrpHdr/MsgId', uetr: 'FIToFIPmtStsReq/TxInf/OrgnlUETR' },
  acmt023: { messageIdentification: 'IdVrfctnReq/Assgnmt/MsgId' },
  acmt024: { messageIdentification: 'IdVrfctnRpt/Assgnmt/MsgId' },
  fxtr017: { messageIdentification: 'FXTradStsAndDtlsNtfctn/TradInf/MsgId' },
  camt054: { messageIdentification: 'BkToCstmrDbtCdtNtfctn/GrpHdr/MsgId' },
};

/** A fault in a key that the answer must repeat. */
export interface KeyFault {
  readonly element: 'MsgId' | 'UETR';
  readonly problem: 'missing' | 'malformed';
  /** Path below `Document`. */
  readonly path: string;
  readonly expected: string;
}

const repeatedMessageId = {
  isFit: isIdentifier,
  expected:
    'an id of up to 35 printable ASCII characters, without slash or space at either end or two in a row',
};
/**
 * The gateway's confirmation does not repeat the MsgId of a report, so any MsgId that ISO 20022 allows is
 * accepted.
 */
const anyMessageId = { isFit: (text: string) => /^.{1,35}$/su.test(text), expected: '1 to 35 characters' };

export function findKeyFaults(name: MessageName, document: XmlElement): readonly KeyFault[] {
  const { messageIdentification, uetr } = keyPaths[name];
  const keys = [
    {
      element: 'MsgId',
      path: messageIdentification,
      ...(name === 'pacs002' ? anyMessageId : repeatedMessageId),
    },
    { element: 'UETR', path: uetr, isFit: isUuidV4, expected: 'a UUID version 4 in lower case (MSG-5)' },
  ] as const;
  return keys.flatMap(({ element, path, isFit, expected }) => {
    if (path === undefined) return [];
    const text = textAt(document, path);
    if (text !== undefined && isFit(text)) return [];
    const problem = text === undefined || showsNothing(text) ? 'missing' : 'malformed';
    return [{ element, problem, path, expected } as const];
  });
}

/** Reads the MsgId and, if this kind of message has one, the UETR. Without them no answer is possible. */
export function readMessageKey(name: MessageName, document: XmlElement): Result<MessageKey, KeyFault> {
  const [fault] = findKeyFaults(name, document);
  if (fault !== undefined) return refused(fault);
  const { messageIdentification, uetr } = keyPaths[name];
  const keys = {
    messageIdentification: textAt(document, messageIdentification) ?? '',
    uetr: uetr && textAt(document, uetr),
  };
  return ok(compact<MessageKey>(keys));
}

/** Reads the UETR if it is well formed, even from a message with other faults. It identifies the payment. */
export function readUetr(name: MessageName, document: XmlElement): string | undefined {
  const { uetr } = keyPaths[name];
  return uetr === undefined ? undefined : usable(textAt(document, uetr), isUuidV4);
}

/**
 * The values of a pacs.008 that an answer repeats. For an invalid pacs.008, these are only its well-formed
 * values.
 */
export interface Pacs008References {
  readonly original: OriginalReferences;
  readonly instructingAgent?: AgentIdentification;
  readonly instructedAgent?: AgentIdentification;
  /** Present only for an accepted submission, which needs them for its fxtr.017. */
  readonly agents?: NamedAgents;
}

/** The agents of a payment that have a BIC or LEI; others are omitted. */
export interface NamedAgents {
  readonly debtorAgent?: AgentIdentification;
  readonly creditorAgent?: AgentIdentification;
  /** The source SAP. */
  readonly intermediaryAgent1?: AgentIdentification;
  /** The destination SAP. */
  readonly intermediaryAgent2?: AgentIdentification;
}

/** Returns the value if it is present and passes the test. */
export const usable = <T>(value: T | undefined, test: (value: T) => boolean): T | undefined =>
  value !== undefined && test(value) ? value : undefined;

const dateTimePattern =
  /^([1-9]\d{3}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-](0\d|1[0-3]):[0-5]\d|[+-]14:00)$/;

/**
 * This check is as strict as the schemas (it refuses 30 February), because an answer that repeats the value
 * must be valid.
 */
function isDateTime(text: string): boolean {
  const day = dateTimePattern.exec(text)?.[1];
  if (day === undefined) return false;
  const epochMs = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(epochMs) && new Date(epochMs).toISOString().startsWith(day);
}

/** Returns the date and time without surrounding whitespace, if it is well formed. */
export function usableDateTime(text: string | undefined): string | undefined {
  return usable(text === undefined ? undefined : collapsed(text), isDateTime);
}

/** Returns the agent's well-formed BIC and LEI without its other identifiers. */
export function usableAgent(element: XmlElement | undefined): AgentIdentification | undefined {
  const agent = readAgent(element);
  const bicfi = usable(agent?.bicfi, isBic);
  const lei = usable(agent?.lei, isLei);
  return bicfi === undefined && lei === undefined ? undefined : compact<AgentIdentification>({ bicfi, lei });
}

/**
 * Reads from a pacs.008, valid or not, the values that an answer repeats.
 * @param key as read by {@link readMessageKey}
 * @param messageNameId identifier of the message, e.g. `pacs.008.001.13`
 */
export function readPacs008References(
  document: XmlElement,
  key: { readonly messageIdentification: string; readonly uetr: string },
  messageNameId: string,
): Pacs008References {
  const message = elementAt(document, 'FIToFICstmrCdtTrf');
  const text = (path: string) => (message === undefined ? undefined : textAt(message, path));
  const agent = (path: string) => usableAgent(message && elementAt(message, path));
  return compact<Pacs008References>({
    original: compact<OriginalReferences>({
      messageIdentification: key.messageIdentification,
      messageNameId,
      creationDateTime: usableDateTime(text('GrpHdr/CreDtTm')),
      instructionId: usable(text('CdtTrfTxInf/PmtId/InstrId'), isIdentifier),
      endToEndId: usable(text('CdtTrfTxInf/PmtId/EndToEndId'), isIdentifier),
      transactionId: usable(text('CdtTrfTxInf/PmtId/TxId'), isIdentifier),
      uetr: key.uetr,
    }),
    // the usage guideline of another scheme may put the agents into the header (xml/guideline.ts)
    instructingAgent: agent('CdtTrfTxInf/InstgAgt') ?? agent('GrpHdr/InstgAgt'),
    instructedAgent: agent('CdtTrfTxInf/InstdAgt') ?? agent('GrpHdr/InstdAgt'),
  });
}

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

/**
 * Keeps BIC and LEI only. Other ids have a meaning only within a payment system, which fxtr.017 cannot name.
 */
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

/** Builds the elements from `OrgnlGrpInf` to `OrgnlUETR`. */
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
