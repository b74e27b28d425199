/**
 * Reads and builds the pacs.002 (payment status report): the answer to the source, the confirmation to the destination
 * (PAY-9) and what a destination reports. It states a status; it never decides one.
 */
import { assert } from '../assert.ts';
import { reject, type Rejection } from '../rejection.ts';
import { ok, refused, type Result } from '../result.ts';
import { findUnknownCodes } from './coded-elements.ts';
import { messages } from './messages.ts';
import { readable } from './lexical.ts';
import type { Pacs008 } from './pacs008.ts';
import { originalElements, originalReferencesOf, renderAboutTransaction } from './original-transaction.ts';
import { compact } from '../compact.ts';
import { collapsed, readAgent, type AgentIdentification } from './parties.ts';
import type { OriginalReferences, Pacs008References } from './references.ts';
import { branch, childrenNamed, elementAt, leaf, optionalLeaf, textAt, type XmlElement } from './tree.ts';

/** The statuses of the scheme: three finals, two interim ones (PAY-7). */
const transactionStatuses = ['ACCC', 'RJCT', 'BLCK', 'ACWP', 'ACTC'] as const;
export type TransactionStatus = (typeof transactionStatuses)[number];

export interface Pacs002 {
  readonly messageIdentification: string;
  readonly creationDateTime: string;
  readonly original: OriginalReferences;
  readonly statusId?: string;
  readonly status: TransactionStatus;
  /** From the external status reason set; always present with RJCT. */
  readonly reasonCode?: string;
  /** Each at most 105 characters. */
  readonly additionalInformation?: readonly string[];
  readonly acceptanceDateTime?: string;
  readonly clearingSystemReference?: string;
  readonly instructingAgent?: AgentIdentification;
  readonly instructedAgent?: AgentIdentification;
}

const message = messages.pacs002;
const xpath = (path: string) => `/Document/${message.messageElement}/TxInfAndSts/${path}`;

function isTransactionStatus(code: string | undefined): code is TransactionStatus {
  return transactionStatuses.some((one) => one === code);
}

function readOriginal(transaction: XmlElement): OriginalReferences {
  const created = textAt(transaction, 'OrgnlGrpInf/OrgnlCreDtTm');
  return compact<OriginalReferences>({
    messageIdentification: textAt(transaction, 'OrgnlGrpInf/OrgnlMsgId') ?? '',
    messageNameId: textAt(transaction, 'OrgnlGrpInf/OrgnlMsgNmId') ?? '',
    creationDateTime: created === undefined ? undefined : collapsed(created),
    instructionId: textAt(transaction, 'OrgnlInstrId'),
    endToEndId: textAt(transaction, 'OrgnlEndToEndId'),
    transactionId: textAt(transaction, 'OrgnlTxId'),
    uetr: textAt(transaction, 'OrgnlUETR') ?? '',
  });
}

const statusCode = /^[A-Z]{4}$/; // as every code of ISO's set: free text stays out of the record (SEC-3, MSG-13)

/**
 * The status that a pacs.002 states, valid or not, as it was written: whoever says `ACSC` may have credited. Undefined
 * where it is no code.
 */
export function statedStatus(document: XmlElement): string | undefined {
  const report = elementAt(document, message.messageElement);
  const status = report && textAt(report, 'TxInfAndSts/TxSts');
  return status !== undefined && statusCode.test(status) ? status : undefined;
}

/**
 * The values of a pacs.002 that its schema found valid.
 * @returns a rejection `element-missing` for a RJCT without reason code (MSG-11)
 */
export function readPacs002(document: XmlElement): Result<Pacs002, Rejection> {
  const report = elementAt(document, message.messageElement);
  const transaction = report && elementAt(report, 'TxInfAndSts');
  const status = transaction && textAt(transaction, 'TxSts');
  assert(
    report !== undefined && transaction !== undefined && isTransactionStatus(status),
    'a validated pacs.002 has a transaction with a status of the scheme',
  );
  const reason = elementAt(transaction, 'StsRsnInf');
  const reasonCode = reason && textAt(reason, 'Rsn/Cd');
  if (status === 'RJCT' && reasonCode === undefined) {
    const text = 'mandatory element missing, because TxSts is RJCT';
    return refused(reject('element-missing', xpath('StsRsnInf/Rsn/Cd'), 'MSG-11', { text }));
  }
  const [unknownCode] = findUnknownCodes(report, `/Document/${message.messageElement}`);
  if (unknownCode !== undefined) return refused(unknownCode);
  const accepted = textAt(transaction, 'AccptncDtTm');
  const information = reason === undefined ? [] : childrenNamed(reason, 'AddtlInf').map((one) => one.text);
  const value = compact<Pacs002>({
    messageIdentification: textAt(report, 'GrpHdr/MsgId') ?? '',
    creationDateTime: collapsed(textAt(report, 'GrpHdr/CreDtTm') ?? ''),
    original: readOriginal(transaction),
    statusId: textAt(transaction, 'StsId'),
    status,
    reasonCode,
    additionalInformation: information.length === 0 ? undefined : information,
    acceptanceDateTime: accepted === undefined ? undefined : collapsed(accepted),
    clearingSystemReference: textAt(transaction, 'ClrSysRef'),
    instructingAgent: readAgent(elementAt(transaction, 'InstgAgt')),
    instructedAgent: readAgent(elementAt(transaction, 'InstdAgt')),
  });
  return ok(value);
}

const maxAdditionalInformation = { count: 10, length: 105 }; // AddtlInf: Text105, up to ten

/** Makes the texts fit their type, whatever they contain: our messages are valid (MSG-8). */
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

/** The pacs.002 as text. */
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

/** What a status report says about a pacs.008. */
export interface StatusStatement {
  readonly messageIdentification: string;
  readonly creationDateTime: string;
  readonly status: TransactionStatus;
  readonly reasonCode?: string;
  readonly additionalInformation?: readonly string[];
}

/** What a report about a pacs.008 repeats of it. */
export function pacs008ReferencesOf(pacs008: Pacs008): Pacs008References {
  const { instructingAgent, instructedAgent } = pacs008;
  const original = originalReferencesOf(pacs008);
  return compact<Pacs008References>({ original, instructingAgent, instructedAgent });
}

/** The report back to the sender of a pacs.008: agents swapped against the original (MSG-11). */
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
 * The confirmation to the destination of our own pacs.008: it goes the same way, so agents stand as in that message
 * (PAY-9).
 */
export function confirmPacs008(references: Pacs008References, statement: StatusStatement): string {
  return buildPacs002({ ...statement, ...references });
}
