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
interface Charge extends Amount {
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

/** Which leg a message is of: from the source to us, or from us to the destination. */
type Leg = 'source' | 'destination';

function readValues(document: XmlElement, leg: Leg): Pacs008 {
  const group = required(elementAt(document, 'FIToFICstmrCdtTrf/GrpHdr'), 'GrpHdr');
  const transaction = required(elementAt(document, 'FIToFICstmrCdtTrf/CdtTrfTxInf'), 'CdtTrfTxInf');
  const text = (path: string) => textAt(transaction, path);
  const agent = (name: string) => readAgent(elementAt(transaction, name));
  const account = (name: string) => readAccount(elementAt(transaction, name));
  const accepted = collapsed(required(text('AddtlDtTm/AccptncDtTm'), 'AccptncDtTm'));
  const [first, second] = childrenNamed(transaction, 'ChrgsInf').map(readCharge);
  const sourcePspFee = required(first, 'ChrgsInf[1]');
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
      unitCurrency: text('AgrdRate/UnitCcy') ?? (leg === 'source' ? settlement : sourcePspFee).currency,
      quotedCurrency: text('AgrdRate/QtdCcy') ?? creditorAgentFee.currency,
      quoteId: text('AgrdRate/QtId'),
    }),
    charges: [sourcePspFee, creditorAgentFee],
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

function judged(value: Pacs008, ...rejections: readonly (Rejection | undefined)[]): Reading<Pacs008> {
  const rejection = rejections.find((one) => one !== undefined);
  return rejection === undefined ? { ok: true, value } : { ok: false, rejection };
}

/**
 * The values of a pacs.008 of a source that its schema found valid.
 * @param document the `Document` element that was validated
 * @returns the first rejection of MSG-4 to MSG-6 and MSG-10 that needs no reference data
 */
export function readPacs008(document: XmlElement): Reading<Pacs008> {
  const value = readValues(document, 'source');
  return judged(
    value,
    checkForwardedElements(value),
    checkAmounts(value),
    checkCodes(value),
    checkCurrencies(value, 'source'),
    checkChargeAgents(value),
  );
}

/** The same for the pacs.008 that a destination gets from us: it settles in the destination currency (MSG-10). */
export function readForwardedPacs008(document: XmlElement): Reading<Pacs008> {
  const value = readValues(document, 'destination');
  return judged(value, checkAmounts(value), checkCodes(value), checkCurrencies(value, 'destination'));
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

/** A source does not fill in what only a forwarded message carries (MSG-10). */
function checkForwardedElements(value: Pacs008): Rejection | undefined {
  const { previousInstructingAgent1, previousInstructingAgent1Account } = value;
  if (previousInstructingAgent1) return reject('guideline-violated', at('PrvsInstgAgt1'), 'MSG-10');
  if (previousInstructingAgent1Account)
    return reject('guideline-violated', at('PrvsInstgAgt1Acct'), 'MSG-10');
  return undefined;
}

/** All currencies are those of one corridor (MSG-4, MSG-6). */
function checkCurrencies(value: Pacs008, leg: Leg): Rejection | undefined {
  const { interbankSettlementAmount, agreedRate, charges, instructedAmount } = value;
  const { unitCurrency, quotedCurrency } = agreedRate;
  const settlementCurrency = leg === 'source' ? unitCurrency : quotedCurrency;
  if (interbankSettlementAmount.currency !== settlementCurrency) {
    return reject('currency-wrong', at(leg === 'source' ? 'AgrdRate/UnitCcy' : 'AgrdRate/QtdCcy'));
  }
  if (charges[0].currency !== unitCurrency) return reject('currency-wrong', at('ChrgsInf[1]/Amt'));
  if (charges[1].currency !== quotedCurrency) return reject('currency-wrong', at('ChrgsInf[2]/Amt'));
  if (instructedAmount && ![unitCurrency, quotedCurrency].includes(instructedAmount.currency)) {
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
