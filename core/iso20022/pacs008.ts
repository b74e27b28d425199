/**
 * Reads a pacs.008 (customer credit transfer) from the tree that was validated (MSG-8): plain values, amounts as decimal strings.
 * It checks what a schema cannot say and no reference data is needed for; accounts, agents and quotes are checked later.
 */
import { reject, type Rejection } from '../rejection.ts';
import { findUnknownCodes } from './coded-elements.ts';
import { isZero, parseDateTime, rateFault } from './lexical.ts';
import {
  collapsed,
  compact,
  readAccount,
  readAgent,
  readAmount,
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

/** A rule of the message alone: tells all that it refuses, in the order of the message. */
type Check = (value: Pacs008) => Iterable<Rejection>;

/** MSG-4 to MSG-6 and MSG-10, as far as they need no reference data; the first rejection is the one that is answered. */
const sourceChecks: readonly Check[] = [
  checkForwardedElements,
  checkAmounts,
  checkCodes,
  (value) => checkCurrencies(value, 'source'),
];
/** The same for what we send: it settles in the destination currency (MSG-10). */
const destinationChecks: readonly Check[] = [
  checkAmounts,
  checkCodes,
  (value) => checkCurrencies(value, 'destination'),
];

function* rejectionsOf(value: Pacs008, checks: readonly Check[]): Iterable<Rejection> {
  for (const check of checks) yield* check(value);
}

function judged(value: Pacs008, checks: readonly Check[]): Reading<Pacs008> {
  for (const rejection of rejectionsOf(value, checks)) return { ok: false, rejection };
  return { ok: true, value };
}

/**
 * The values of a pacs.008 of a source that its schema found valid.
 * @param document the `Document` element that was validated
 * @returns the first rejection of MSG-4 to MSG-6 and MSG-10 that needs no reference data
 */
export function readPacs008(document: XmlElement): Reading<Pacs008> {
  return judged(readValues(document, 'source'), sourceChecks);
}

/** The same for the pacs.008 that a destination gets from us: it settles in the destination currency (MSG-10). */
export function readForwardedPacs008(document: XmlElement): Reading<Pacs008> {
  return judged(readValues(document, 'destination'), destinationChecks);
}

/** What `readPacs008` reads, with every rejection instead of the first: for dry runs, never to accept a message by. */
export function readPacs008Throughout(document: XmlElement): {
  readonly value: Pacs008;
  readonly rejections: readonly Rejection[];
} {
  const value = readValues(document, 'source');
  return { value, rejections: [...rejectionsOf(value, sourceChecks)] };
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
function* checkAmounts(value: Pacs008): Iterable<Rejection> {
  const mayBeZero = 'ChrgsInf[1]/Amt';
  for (const { amount, path } of amountsOf(value)) {
    if (path !== mayBeZero && isZero(amount.amount)) yield reject('amount-zero', at(path));
  }
  if (rateFault(value.agreedRate.preAgreedExchangeRate)) {
    yield reject('schema-invalid', at('AgrdRate/PreAgrdXchgRate'), 'MON-1');
  }
}

/** Codes are in their external code sets (MSG-4). */
function checkCodes({ transaction }: Pacs008): Iterable<Rejection> {
  return findUnknownCodes(transaction, pacs008Paths.transaction);
}

/** A source does not fill in what only a forwarded message carries (MSG-10). */
function* checkForwardedElements(value: Pacs008): Iterable<Rejection> {
  const { previousInstructingAgent1, previousInstructingAgent1Account } = value;
  if (previousInstructingAgent1) yield reject('guideline-violated', at('PrvsInstgAgt1'), 'MSG-10');
  if (previousInstructingAgent1Account) yield reject('guideline-violated', at('PrvsInstgAgt1Acct'), 'MSG-10');
}

/** All currencies are those of one corridor (MSG-4, MSG-6). */
function* checkCurrencies(value: Pacs008, leg: Leg): Iterable<Rejection> {
  const { interbankSettlementAmount, agreedRate, charges, instructedAmount } = value;
  const { unitCurrency, quotedCurrency } = agreedRate;
  const settlementCurrency = leg === 'source' ? unitCurrency : quotedCurrency;
  if (interbankSettlementAmount.currency !== settlementCurrency) {
    yield reject('currency-wrong', at(leg === 'source' ? 'AgrdRate/UnitCcy' : 'AgrdRate/QtdCcy'));
  }
  if (charges[0].currency !== unitCurrency) yield reject('currency-wrong', at('ChrgsInf[1]/Amt'));
  if (charges[1].currency !== quotedCurrency) yield reject('currency-wrong', at('ChrgsInf[2]/Amt'));
  if (instructedAmount && ![unitCurrency, quotedCurrency].includes(instructedAmount.currency)) {
    yield reject('currency-wrong', at('InstdAmt'));
  }
}

/** What `readValues` cannot do without (`needed`), and what is computed with (`computed`): a dry run asks first whether they are valid. */
export const pacs008Reads = {
  needed: [
    `${pacs008Paths.group}/MsgId`,
    `${pacs008Paths.group}/CreDtTm`,
    `${pacs008Paths.group}/SttlmInf/ClrSys`,
    ...['PmtId/EndToEndId', 'PmtId/UETR', 'DbtrAgt', 'CdtrAgt', 'DbtrAcct', 'CdtrAcct'].map(at),
  ],
  computed: ['IntrBkSttlmAmt', 'AddtlDtTm', 'InstdAmt', 'AgrdRate', 'ChrgsInf', 'RgltryRptg'].map(at),
} as const;
