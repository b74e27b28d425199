/**
 * Reads and builds the pacs.002 (payment status report): the answer to the source, the confirmation to the
 * destination, and a destination's report. This code only states a status; it never decides one.
 */
import { assert } from '../assert.ts';
import { reject, type Rejection } from '../rejections/rejection.ts';
import { ok, refused, type Result } from '../result.ts';
import { findUnknownCodes } from './coded-elements.ts';
import { messages } from './messages.ts';
import { readable } from './lexical.ts';
import type { Pacs008 } from './pacs008.ts';
import {
  originalElements,
  originalReferencesOf,
  renderAboutTransaction,
  type Pacs008References,
  type ReportedReferences,
} from './references.ts';
import { compact } from '../compact.ts';
import { collapsed, readAgent, type AgentIdentification } from './parties.ts';
import { branch, childrenNamed, elementAt, leaf, optionalLeaf, textAt, type XmlElement } from './tree.ts';

/** The statuses of the scheme: three final, two interim. */
const transactionStatuses = ['ACCC', 'RJCT', 'BLCK', 'ACWP', 'ACTC'] as const;
export type TransactionStatus = (typeof transactionStatuses)[number];

export interface Pacs002 {
  readonly messageIdentification: string;
  readonly creationDateTime: string;
  readonly original: ReportedReferences;
  /**
   * The `OrgnlGrpInfAndSts` elements: message groups that the report names too. Only a party's pacs.002 has
   * them.
   */
  readonly groups?: readonly ReportedGroup[];
  readonly statusId?: string;
  readonly status: TransactionStatus;
  /** The code as the sender wrote it, from any edition of the code set. Always present with RJCT. */
  readonly reasonCode?: string;
  /** The party's own words for the reason (`Prtry`); the code is then NARR. */
  readonly proprietaryReason?: string;
  /** Each at most 105 characters. */
  readonly additionalInformation?: readonly string[];
  readonly acceptanceDateTime?: string;
  readonly clearingSystemReference?: string;
  readonly instructingAgent?: AgentIdentification;
  readonly instructedAgent?: AgentIdentification;
}

type ReportedGroup = Pick<ReportedReferences, 'messageIdentification' | 'messageNameId'>;

const message = messages.pacs002;
const xpath = (path: string) => `/Document/${message.messageElement}/TxInfAndSts/${path}`;

function isTransactionStatus(code: string | undefined): code is TransactionStatus {
  return transactionStatuses.some((one) => one === code);
}

function readGroup(group: XmlElement): ReportedGroup {
  return compact<ReportedGroup>({
    messageIdentification: textAt(group, 'OrgnlMsgId'),
    messageNameId: textAt(group, 'OrgnlMsgNmId'),
  });
}

function readOriginal(transaction: XmlElement): ReportedReferences {
  const created = textAt(transaction, 'OrgnlGrpInf/OrgnlCreDtTm');
  return compact<ReportedReferences>({
    messageIdentification: textAt(transaction, 'OrgnlGrpInf/OrgnlMsgId'),
    messageNameId: textAt(transaction, 'OrgnlGrpInf/OrgnlMsgNmId'),
    creationDateTime: created === undefined ? undefined : collapsed(created),
    instructionId: textAt(transaction, 'OrgnlInstrId'),
    endToEndId: textAt(transaction, 'OrgnlEndToEndId'),
    transactionId: textAt(transaction, 'OrgnlTxId'),
    uetr: textAt(transaction, 'OrgnlUETR') ?? '',
  });
}

const statusCode = /^[A-Z]{4}$/; // the form of every code in ISO's set; keeps free text out of the record

/**
 * Reads the status exactly as a pacs.002 states it, even if the message is invalid. A party that reports
 * `ACSC`, which the scheme does not use, may have credited the payee. Undefined if the text does not have the
 * form of a code.
 */
export function statedStatus(document: XmlElement): string | undefined {
  const report = elementAt(document, message.messageElement);
  const status = report && textAt(report, 'TxInfAndSts/TxSts');
  return status !== undefined && statusCode.test(status) ? status : undefined;
}

function partsOf(document: XmlElement) {
  const report = elementAt(document, message.messageElement);
  const transaction = report && elementAt(report, 'TxInfAndSts');
  const status = transaction && textAt(transaction, 'TxSts');
  assert(
    report !== undefined && transaction !== undefined && isTransactionStatus(status),
    'a validated pacs.002 has a transaction with a status of the scheme',
  );
  return { report, transaction, status };
}

/** Whether the gateway's own messages can carry a reason code: up to four readable characters. */
export const isReasonCode = (code: string): boolean => readable(code, maxReasonCode) === code;
const maxReasonCode = 4; // characters, in every edition of the code set

const narrative = 'NARR'; // ISO 20022: the reason is given in words

/**
 * Reads the reason from the first `StsRsnInf` with a code, or else from the first with free text (`Prtry`).
 * The code is NARR if the source needs a code and the destination gives none that the gateway can pass on.
 */
function readReason(
  transaction: XmlElement,
  status: TransactionStatus,
): Pick<Pacs002, 'reasonCode' | 'proprietaryReason' | 'additionalInformation'> {
  const reasons = childrenNamed(transaction, 'StsRsnInf');
  const withCode = reasons.find((one) => textAt(one, 'Rsn/Cd') !== undefined);
  const reason = withCode ?? reasons.find((one) => textAt(one, 'Rsn/Prtry') !== undefined) ?? reasons[0];
  const code = reason && textAt(reason, 'Rsn/Cd');
  const proprietaryReason = code === undefined ? reason && textAt(reason, 'Rsn/Prtry') : undefined;
  const isNarrative = code !== undefined || proprietaryReason !== undefined || status === 'RJCT';
  const information = reason === undefined ? [] : childrenNamed(reason, 'AddtlInf').map((one) => one.text);
  return compact<Pick<Pacs002, 'reasonCode' | 'proprietaryReason' | 'additionalInformation'>>({
    reasonCode: code !== undefined && isReasonCode(code) ? code : isNarrative ? narrative : undefined,
    proprietaryReason,
    additionalInformation: information.length === 0 ? undefined : information,
  });
}

/**
 * Finds breaches of the usage guideline in a pacs.002 that passed its schema. A breach is RJCT without a
 * reason code (MSG-11), or a code that the gateway's edition of the code set lacks. The destination's status
 * counts despite a breach.
 */
export function findPacs002Faults(document: XmlElement): readonly Rejection[] {
  const { report, transaction, status } = partsOf(document);
  const hasCode = childrenNamed(transaction, 'StsRsnInf').some((one) => textAt(one, 'Rsn/Cd') !== undefined);
  const text = 'mandatory element missing, because TxSts is RJCT';
  const missing =
    status === 'RJCT' && !hasCode
      ? [reject('element-missing', xpath('StsRsnInf/Rsn/Cd'), 'MSG-11', { text })]
      : [];
  return [...missing, ...findUnknownCodes(report, `/Document/${message.messageElement}`)];
}

/** Reads a pacs.002 that passed the intake schema or the usage guideline, without further checks. */
export function takePacs002(document: XmlElement): Pacs002 {
  const { report, transaction, status } = partsOf(document);
  const accepted = textAt(transaction, 'AccptncDtTm');
  const groups = childrenNamed(report, 'OrgnlGrpInfAndSts').map(readGroup);
  return compact<Pacs002>({
    messageIdentification: textAt(report, 'GrpHdr/MsgId') ?? '',
    creationDateTime: collapsed(textAt(report, 'GrpHdr/CreDtTm') ?? ''),
    original: readOriginal(transaction),
    groups: groups.length === 0 ? undefined : groups,
    statusId: textAt(transaction, 'StsId'),
    status,
    ...readReason(transaction, status),
    acceptanceDateTime: accepted === undefined ? undefined : collapsed(accepted),
    clearingSystemReference: textAt(transaction, 'ClrSysRef'),
    instructingAgent: readAgent(elementAt(transaction, 'InstgAgt')),
    instructedAgent: readAgent(elementAt(transaction, 'InstdAgt')),
  });
}

/**
 * Reads a pacs.002; returns its first fault if it breaks the usage guideline.
 * @internal exported for tests
 */
export function readPacs002(document: XmlElement): Result<Pacs002, Rejection> {
  const [fault] = findPacs002Faults(document);
  return fault === undefined ? ok(takePacs002(document)) : refused(fault);
}

const maxAdditionalInformation = { count: 10, length: 105 }; // the limits of AddtlInf

/** Makes each text fit its schema type, so that the gateway's messages are always valid. */
function buildReason(values: Pacs002): XmlElement | undefined {
  const { reasonCode, additionalInformation = [] } = values;
  const information = additionalInformation
    .slice(0, maxAdditionalInformation.count)
    .map((text) => readable(text, maxAdditionalInformation.length));
  if (reasonCode === undefined && information.every((text) => text === undefined)) return undefined;
  return branch(
    'StsRsnInf',
    reasonCode === undefined ? undefined : branch('Rsn', leaf('Cd', reasonCode)),
    ...information.map((text) => optionalLeaf('AddtlInf', text)),
  );
}

/** Renders the pacs.002 as XML text. */
export function buildPacs002(values: Pacs002): string {
  return renderAboutTransaction(
    message,
    'TxInfAndSts',
    values,
    optionalLeaf('StsId', values.statusId),
    ...originalElements(values.original),
    leaf('TxSts', values.status),
    buildReason(values),
    optionalLeaf('AccptncDtTm', values.acceptanceDateTime),
    optionalLeaf('ClrSysRef', values.clearingSystemReference),
  );
}

/** The values that a status report states about a pacs.008. */
export interface StatusStatement {
  readonly messageIdentification: string;
  readonly creationDateTime: string;
  readonly status: TransactionStatus;
  readonly reasonCode?: string;
  readonly additionalInformation?: readonly string[];
}

/** The values of a pacs.008 that a report about it repeats. */
export function pacs008ReferencesOf(pacs008: Pacs008): Pacs008References {
  const { instructingAgent, instructedAgent } = pacs008;
  const original = originalReferencesOf(pacs008);
  return compact<Pacs008References>({ original, instructingAgent, instructedAgent });
}

/**
 * Renders the status report to the sender of a pacs.008. It travels the other way, so its two agents are
 * swapped.
 */
export function answerPacs008(references: Pacs008References, statement: StatusStatement): string {
  const { original, instructingAgent, instructedAgent } = references;
  return buildPacs002(
    compact<Pacs002>({
      ...statement,
      original,
      instructingAgent: instructedAgent,
      instructedAgent: instructingAgent,
    }),
  );
}

/**
 * Renders the confirmation of a forwarded pacs.008 to the destination. It travels the same way, so its two
 * agents stay.
 */
export function confirmPacs008(references: Pacs008References, statement: StatusStatement): string {
  return buildPacs002({ ...statement, ...references });
}
