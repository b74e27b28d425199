/**
 * Reads a pacs.008 (customer credit transfer) from the tree that was validated (MSG-8): plain values, amounts as decimal strings.
 * It checks what a schema cannot say and no reference data is needed for; accounts, agents and quotes are checked later.
 */
import { reject, type Rejection } from '../rejection.ts';
import { isCategoryPurposeCode, isPurposeCode } from './external-codes.ts';
import { isZero, parseDateTime, rateFault } from './lexical.ts';
import {
  collapsed,
  compact,
  readAccount,
  readAgent,
  readAmount,
  sameAgent,
  type AccountIdentification,
  type AgentIdentification,
  type Amount,
} from './parties.ts';
import { childrenNamed, elementAt, textAt, type XmlElement } from './tree.ts';

export type Reading<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly rejection: Rejection };

/** One entry of `ChrgsInf`. */
export interface Charge extends Amount {
  readonly agent: AgentIdentification;
}

export interface Pacs008 {
  readonly messageId: string;
  readonly creationDateTime: string;
  readonly clearingSystemId: string;
  readonly instructionId?: string;
  readonly endToEndId: string;
  readonly transactionId?: string;
  readonly uetr: string;
  readonly clearingSystemReference?: string;
  /** NORM where the message says nothing (MSG-5). */
  readonly priority: 'HIGH' | 'NORM';
  readonly categoryPurpose?: string;
  readonly purpose?: string;
  readonly interbankSettlementAmount: Amount;
  readonly settlementDate?: string;
  /** `AccptncDtTm` as written, and in milliseconds since 1970 UTC. */
  readonly acceptanceDateTime: { readonly text: string; readonly epochMs: number };
  readonly instructedAmount?: Amount;
  readonly agreedRate: {
    readonly preAgreedExchangeRate: string;
    /** The currency of the interbank settlement amount. */
    readonly unitCurrency: string;
    /** The destination currency; where the message does not say, that of the creditor agent fee. */
    readonly quotedCurrency: string;
    readonly quoteId?: string;
  };
  /** The source PSP's fee, then the creditor agent's (MSG-6). */
  readonly charges: readonly [sourcePspFee: Charge, creditorAgentFee: Charge];
  readonly instructingAgent?: AgentIdentification;
  readonly instructedAgent?: AgentIdentification;
  readonly intermediaryAgent1?: AgentIdentification;
  readonly intermediaryAgent1Account?: AccountIdentification;
  readonly intermediaryAgent2?: AgentIdentification;
  readonly intermediaryAgent2Account?: AccountIdentification;
  /** In a forwarded message, where the source's intermediary agent 1 has gone (MSG-10). */
  readonly previousInstructingAgent1?: AgentIdentification;
  readonly previousInstructingAgent1Account?: AccountIdentification;
  readonly debtorAgent: AgentIdentification;
  readonly creditorAgent: AgentIdentification;
  readonly debtorAccount: AccountIdentification;
  readonly creditorAccount: AccountIdentification;
  /** `CdtTrfTxInf` itself: what no rule names passes unaltered (MSG-9). */
  readonly transaction: XmlElement;
}

export const pacs008Paths = {
  group: '/Document/FIToFICstmrCdtTrf/GrpHdr',
  transaction: '/Document/FIToFICstmrCdtTrf/CdtTrfTxInf',
} as const;

function required<T>(value: T | undefined, name: string): T {
  if (value === undefined)
    throw new Error(`${name} is mandatory in the schema, yet absent in a validated message`);
  return value;
}

function readCharge(element: XmlElement): Charge {
  return {
    ...readAmount(element.children[0] ?? element),
    agent: required(readAgent(elementAt(element, 'Agt')), 'Agt'),
  };
}

function readValues(group: XmlElement, transaction: XmlElement): Pacs008 {
  const text = (path: string) => textAt(transaction, path);
  const agent = (name: string) => readAgent(elementAt(transaction, name));
  const account = (name: string) => readAccount(elementAt(transaction, name));
  const accepted = collapsed(required(text('AddtlDtTm/AccptncDtTm'), 'AccptncDtTm'));
  const [first, second] = childrenNamed(transaction, 'ChrgsInf').map(readCharge);
  const creditorAgentFee = required(second, 'ChrgsInf[2]');
  const settlement = readAmount(required(elementAt(transaction, 'IntrBkSttlmAmt'), 'IntrBkSttlmAmt'));
  const settlementDate = text('IntrBkSttlmDt');
  const instructed = elementAt(transaction, 'InstdAmt');
  const clearingSystemId = textAt(group, 'SttlmInf/ClrSys/Prtry') ?? textAt(group, 'SttlmInf/ClrSys/Cd');
  return compact<Pacs008>({
    messageId: required(textAt(group, 'MsgId'), 'MsgId'),
    creationDateTime: collapsed(required(textAt(group, 'CreDtTm'), 'CreDtTm')),
    clearingSystemId: required(clearingSystemId, 'ClrSys'),
    instructionId: text('PmtId/InstrId'),
    endToEndId: required(text('PmtId/EndToEndId'), 'EndToEndId'),
    transactionId: text('PmtId/TxId'),
    uetr: required(text('PmtId/UETR'), 'UETR'),
    clearingSystemReference: text('PmtId/ClrSysRef'),
    priority: text('PmtTpInf/InstrPrty') === 'HIGH' ? 'HIGH' : 'NORM',
    categoryPurpose: text('PmtTpInf/CtgyPurp/Cd'),
    purpose: text('Purp/Cd'),
    interbankSettlementAmount: settlement,
    settlementDate: settlementDate === undefined ? undefined : collapsed(settlementDate),
    acceptanceDateTime: { text: accepted, epochMs: parseDateTime(accepted) },
    instructedAmount: instructed && readAmount(instructed),
    agreedRate: compact<Pacs008['agreedRate']>({
      preAgreedExchangeRate: collapsed(required(text('AgrdRate/PreAgrdXchgRate'), 'PreAgrdXchgRate')),
      unitCurrency: text('AgrdRate/UnitCcy') ?? settlement.currency,
      quotedCurrency: text('AgrdRate/QtdCcy') ?? creditorAgentFee.currency,
      quoteId: text('AgrdRate/QtId'),
    }),
    charges: [required(first, 'ChrgsInf[1]'), creditorAgentFee],
    instructingAgent: agent('InstgAgt'),
    instructedAgent: agent('InstdAgt'),
    intermediaryAgent1: agent('IntrmyAgt1'),
    intermediaryAgent1Account: account('IntrmyAgt1Acct'),
    intermediaryAgent2: agent('IntrmyAgt2'),
    intermediaryAgent2Account: account('IntrmyAgt2Acct'),
    previousInstructingAgent1: agent('PrvsInstgAgt1'),
    previousInstructingAgent1Account: account('PrvsInstgAgt1Acct'),
    debtorAgent: required(agent('DbtrAgt'), 'DbtrAgt'),
    creditorAgent: required(agent('CdtrAgt'), 'CdtrAgt'),
    debtorAccount: required(account('DbtrAcct'), 'DbtrAcct'),
    creditorAccount: required(account('CdtrAcct'), 'CdtrAcct'),
    transaction,
  });
}

/**
 * The values of a pacs.008 that its schema found valid.
 * @param document the `Document` element that was validated
 * @returns the first rejection of MSG-4 to MSG-6 that needs no reference data
 */
export function readPacs008(document: XmlElement): Reading<Pacs008> {
  const group = required(elementAt(document, 'FIToFICstmrCdtTrf/GrpHdr'), 'GrpHdr');
  const value = readValues(
    group,
    required(elementAt(document, 'FIToFICstmrCdtTrf/CdtTrfTxInf'), 'CdtTrfTxInf'),
  );
  const rejection =
    checkAmounts(value) ?? checkCodes(value) ?? checkCurrencies(value) ?? checkChargeAgents(value);
  return rejection === undefined ? { ok: true, value } : { ok: false, rejection };
}

/**
 * The same for what a source submits: it does not fill in what only a forwarded message carries (MSG-10).
 */
export function readSubmittedPacs008(document: XmlElement): Reading<Pacs008> {
  const reading = readPacs008(document);
  if (!reading.ok) return reading;
  const { previousInstructingAgent1, previousInstructingAgent1Account } = reading.value;
  if (previousInstructingAgent1 === undefined && previousInstructingAgent1Account === undefined)
    return reading;
  const name = previousInstructingAgent1 === undefined ? 'PrvsInstgAgt1Acct' : 'PrvsInstgAgt1';
  return { ok: false, rejection: reject('guideline-violated', at(name), 'MSG-10') };
}

/** Every amount of the message and its path below `CdtTrfTxInf`, in the order of the message. */
export function amountsOf(pacs008: Pacs008): readonly { readonly amount: Amount; readonly path: string }[] {
  const amounts = [{ amount: pacs008.interbankSettlementAmount, path: 'IntrBkSttlmAmt' }];
  if (pacs008.instructedAmount) amounts.push({ amount: pacs008.instructedAmount, path: 'InstdAmt' });
  for (const [index, charge] of pacs008.charges.entries()) {
    amounts.push({ amount: charge, path: `ChrgsInf[${index + 1}]/Amt` });
  }
  for (const [index, report] of childrenNamed(pacs008.transaction, 'RgltryRptg').entries()) {
    for (const [detailIndex, details] of childrenNamed(report, 'Dtls').entries()) {
      const amount = elementAt(details, 'Amt');
      if (amount === undefined) continue;
      amounts.push({
        amount: readAmount(amount),
        path: `RgltryRptg[${index + 1}]/Dtls[${detailIndex + 1}]/Amt`,
      });
    }
  }
  return amounts;
}

const at = (path: string) => `${pacs008Paths.transaction}/${path}`;

/** No amount is zero, but for the source PSP's fee (MSG-4); a rate has at most 11 digits as written (MON-1). */
function checkAmounts(value: Pacs008): Rejection | undefined {
  const mayBeZero = 'ChrgsInf[1]/Amt';
  const zero = amountsOf(value).find(({ amount, path }) => path !== mayBeZero && isZero(amount.amount));
  if (zero !== undefined) return reject('amount-zero', at(zero.path));
  return rateFault(value.agreedRate.preAgreedExchangeRate)
    ? reject('schema-invalid', at('AgrdRate/PreAgrdXchgRate'), 'MON-1')
    : undefined;
}

/** Codes are in their external code sets (MSG-4). */
function checkCodes(value: Pacs008): Rejection | undefined {
  const { purpose, categoryPurpose } = value;
  if (categoryPurpose !== undefined && !isCategoryPurposeCode(categoryPurpose)) {
    return reject('code-unknown', at('PmtTpInf/CtgyPurp/Cd'));
  }
  if (purpose !== undefined && !isPurposeCode(purpose)) return reject('code-unknown', at('Purp/Cd'));
  return undefined;
}

/** All currencies are those of one corridor (MSG-4, MSG-6). */
function checkCurrencies(value: Pacs008): Rejection | undefined {
  const { agreedRate, charges, instructedAmount } = value;
  const source = value.interbankSettlementAmount.currency;
  if (agreedRate.unitCurrency !== source) return reject('currency-wrong', at('AgrdRate/UnitCcy'));
  if (charges[0].currency !== source) return reject('currency-wrong', at('ChrgsInf[1]/Amt'));
  if (charges[1].currency !== agreedRate.quotedCurrency)
    return reject('currency-wrong', at('ChrgsInf[2]/Amt'));
  if (instructedAmount && ![source, agreedRate.quotedCurrency].includes(instructedAmount.currency)) {
    return reject('currency-wrong', at('InstdAmt'));
  }
  return undefined;
}

/** The charges are those of the debtor agent and of the creditor agent, as far as their identifiers tell (MSG-6). */
function checkChargeAgents(value: Pacs008): Rejection | undefined {
  if (sameAgent(value.charges[0].agent, value.debtorAgent) === false) {
    return reject('charges-agent-wrong', at('ChrgsInf[1]/Agt'));
  }
  if (sameAgent(value.charges[1].agent, value.creditorAgent) === false) {
    return reject('charges-agent-wrong', at('ChrgsInf[2]/Agt'));
  }
  return undefined;
}
