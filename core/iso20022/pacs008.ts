/**
 * Reads a pacs.008 (customer credit transfer) from the validated tree: plain values, amounts as decimal strings. It
 * makes the checks that a schema cannot express and that need no reference data. Later steps check accounts, agents and
 * quotes.
 */
import { assert } from '../assert.ts';
import { judgeFit, rejectionsOf, type Check, type IsFit } from '../rejections/check.ts';
import { maxRateDigits } from '../money/money.ts';
import { reject, type Rejection } from '../rejections/rejection.ts';
import { first, ok, refused, type Result } from '../result.ts';
import { findUnknownCodes } from './coded-elements.ts';
import { findWrongIbans } from '../payments/iban.ts';
import { isZero, parseDateTime, rateFault } from './lexical.ts';
import { compact } from '../compact.ts';
import {
  collapsed,
  readAccount,
  readAgent,
  readAmount,
  type AccountIdentification,
  type AgentIdentification,
  type Amount,
} from './parties.ts';
import { branch, childrenNamed, elementAt, textAt, withoutPositions, type XmlElement } from './tree.ts';

/** One entry of `ChrgsInf`. */
interface Charge extends Amount {
  readonly agent: AgentIdentification;
}

export interface Pacs008 {
  readonly messageIdentification: string;
  readonly creationDateTime: string;
  readonly clearingSystemId: string;
  readonly instructionId?: string;
  readonly endToEndId: string;
  readonly transactionId?: string;
  readonly uetr: string;
  readonly clearingSystemReference?: string;
  /** NORM if the message states no priority (MSG-5). */
  readonly priority: 'HIGH' | 'NORM';
  readonly categoryPurpose?: string;
  readonly purpose?: string;
  readonly interbankSettlementAmount: Amount;
  readonly settlementDate?: string;
  /** `AccptncDtTm` as written, and in epoch milliseconds. */
  readonly acceptanceDateTime: { readonly text: string; readonly epochMs: number };
  readonly instructedAmount?: Amount;
  readonly agreedRate: {
    readonly preAgreedExchangeRate: string;
    /** The currency of the interbank settlement amount. */
    readonly unitCurrency: string;
    /** The destination currency; if the message omits it, the currency of the creditor agent fee. */
    readonly quotedCurrency: string;
    readonly quoteId?: string;
  };
  /** The source PSP's fee, followed by the creditor agent's fee (MSG-6). */
  readonly charges: readonly [sourcePspFee: Charge, creditorAgentFee: Charge];
  readonly instructingAgent?: AgentIdentification;
  readonly instructedAgent?: AgentIdentification;
  readonly intermediaryAgent1?: AgentIdentification;
  readonly intermediaryAgent1Account?: AccountIdentification;
  readonly intermediaryAgent2?: AgentIdentification;
  readonly intermediaryAgent2Account?: AccountIdentification;
  /** Only a forwarded message has this element: the intermediary agent 1 of the received message. */
  readonly previousInstructingAgent1?: AgentIdentification;
  readonly previousInstructingAgent1Account?: AccountIdentification;
  readonly debtorAgent: AgentIdentification;
  readonly creditorAgent: AgentIdentification;
  readonly debtorAccount: AccountIdentification;
  readonly creditorAccount: AccountIdentification;
  /**
   * The `GrpHdr` element. The usage guideline of another scheme may add elements to it, such as `InstgAgt`.
   */
  readonly header: XmlElement;
  /** The `CdtTrfTxInf` element. The gateway forwards each part that no rule changes exactly as received. */
  readonly transaction: XmlElement;
}

export const pacs008Paths = {
  group: '/Document/FIToFICstmrCdtTrf/GrpHdr',
  transaction: '/Document/FIToFICstmrCdtTrf/CdtTrfTxInf',
} as const;

/** Turns a path below `CdtTrfTxInf` into an XPath from the root. */
export function inTransaction(path: string): string {
  return `${pacs008Paths.transaction}/${path}`;
}

/** Returns a mandatory value. If the value is missing, it fails as a defect or returns the stand-in. */
type Demand = <T>(value: T | undefined, name: string, standIn: T) => T;

/** For messages that passed their schema: a missing value is a defect. */
const demanded: Demand = (value, name) => {
  assert(value !== undefined, `${name} is mandatory in the schema, so that a validated message has it`);
  return value;
};
/**
 * For messages that may be invalid: `standIn` replaces a missing value. Callers must not use invalid values.
 */
const whereGiven: Demand = (value, _, standIn) => value ?? standIn;

const noAgent: AgentIdentification = {};
const noCharge: Charge = { currency: '', amount: '', agent: noAgent };

function readCharge(element: XmlElement | undefined, demand: Demand): Charge | undefined {
  const amount = element && elementAt(element, 'Amt');
  if (element === undefined || amount === undefined) return undefined;
  return { ...readAmount(amount), agent: demand(readAgent(elementAt(element, 'Agt')), 'Agt', noAgent) };
}

/** The priority that a pacs.008 states; NORM if it states none (MSG-5). The message may be invalid. */
export function priorityOf(document: XmlElement): Pacs008['priority'] {
  const stated = textAt(document, 'FIToFICstmrCdtTrf/CdtTrfTxInf/PmtTpInf/InstrPrty');
  return stated === 'HIGH' ? 'HIGH' : 'NORM';
}

/** The leg of a message: from the source to the gateway, or from the gateway to the destination. */
type Leg = 'source' | 'destination';

function readValues(document: XmlElement, leg: Leg, demand: Demand): Pacs008 {
  const group = demand(elementAt(document, 'FIToFICstmrCdtTrf/GrpHdr'), 'GrpHdr', branch('GrpHdr'));
  const transactions = elementAt(document, 'FIToFICstmrCdtTrf/CdtTrfTxInf');
  const transaction = demand(transactions, 'CdtTrfTxInf', branch('CdtTrfTxInf'));
  const text = (path: string) => textAt(transaction, path);
  const mandatoryText = (path: string) => demand(text(path), path, '');
  const agent = (name: string) => readAgent(elementAt(transaction, name));
  const account = (name: string) => readAccount(elementAt(transaction, name));
  const accepted = collapsed(mandatoryText('AddtlDtTm/AccptncDtTm'));
  const charges = childrenNamed(transaction, 'ChrgsInf');
  const sourcePspFee = demand(readCharge(charges[0], demand), 'ChrgsInf[1]', noCharge);
  const creditorAgentFee = demand(readCharge(charges[1], demand), 'ChrgsInf[2]', noCharge);
  const amount = elementAt(transaction, 'IntrBkSttlmAmt');
  const settlement = demand(amount && readAmount(amount), 'IntrBkSttlmAmt', noCharge);
  const settlementDate = text('IntrBkSttlmDt');
  const instructed = elementAt(transaction, 'InstdAmt');
  const clearingSystemId = textAt(group, 'SttlmInf/ClrSys/Prtry') ?? textAt(group, 'SttlmInf/ClrSys/Cd');
  return compact<Pacs008>({
    messageIdentification: demand(textAt(group, 'MsgId'), 'MsgId', ''),
    creationDateTime: collapsed(demand(textAt(group, 'CreDtTm'), 'CreDtTm', '')),
    clearingSystemId: demand(clearingSystemId, 'ClrSys', ''),
    instructionId: text('PmtId/InstrId'),
    endToEndId: mandatoryText('PmtId/EndToEndId'),
    transactionId: text('PmtId/TxId'),
    uetr: mandatoryText('PmtId/UETR'),
    clearingSystemReference: text('PmtId/ClrSysRef'),
    priority: priorityOf(document),
    categoryPurpose: text('PmtTpInf/CtgyPurp/Cd'),
    purpose: text('Purp/Cd'),
    interbankSettlementAmount: settlement,
    settlementDate: settlementDate === undefined ? undefined : collapsed(settlementDate),
    acceptanceDateTime: { text: accepted, epochMs: demand(parseDateTime(accepted), 'AccptncDtTm', NaN) },
    instructedAmount: instructed && readAmount(instructed),
    agreedRate: compact<Pacs008['agreedRate']>({
      preAgreedExchangeRate: collapsed(mandatoryText('AgrdRate/PreAgrdXchgRate')),
      unitCurrency: text('AgrdRate/UnitCcy') ?? (leg === 'source' ? settlement : sourcePspFee).currency,
      quotedCurrency: text('AgrdRate/QtdCcy') ?? creditorAgentFee.currency,
      quoteId: text('AgrdRate/QtId'),
    }),
    charges: [sourcePspFee, creditorAgentFee],
    instructingAgent: agent('InstgAgt') ?? readAgent(elementAt(group, 'InstgAgt')),
    instructedAgent: agent('InstdAgt') ?? readAgent(elementAt(group, 'InstdAgt')),
    intermediaryAgent1: agent('IntrmyAgt1'),
    intermediaryAgent1Account: account('IntrmyAgt1Acct'),
    intermediaryAgent2: agent('IntrmyAgt2'),
    intermediaryAgent2Account: account('IntrmyAgt2Acct'),
    previousInstructingAgent1: agent('PrvsInstgAgt1'),
    previousInstructingAgent1Account: account('PrvsInstgAgt1Acct'),
    debtorAgent: demand(agent('DbtrAgt'), 'DbtrAgt', noAgent),
    creditorAgent: demand(agent('CdtrAgt'), 'CdtrAgt', noAgent),
    debtorAccount: demand(account('DbtrAcct'), 'DbtrAcct', {}),
    creditorAccount: demand(account('CdtrAcct'), 'CdtrAcct', {}),
    header: group,
    transaction,
  });
}

function judged(value: Pacs008, checks: readonly Check<Pacs008>[]): Result<Pacs008, Rejection> {
  const rejection = first(rejectionsOf(checks, value));
  return rejection === undefined ? ok(value) : refused(rejection);
}

/**
 * Reads a source's pacs.008 that passed its schema.
 * @param document the validated `Document` element
 * @returns the values, or the first rejection by the checks of MSG-4 to MSG-6 and MSG-10 without reference
 * data
 */
export function readPacs008(document: XmlElement): Result<Pacs008, Rejection> {
  return judged(readValues(document, 'source', demanded), sourceChecks);
}

/** Reads a pacs.008 that the gateway sends to a destination. It settles in the destination currency. */
export function readForwardedPacs008(document: XmlElement): Result<Pacs008, Rejection> {
  return judged(readValues(document, 'destination', demanded), destinationChecks);
}

/**
 * Reads like `readPacs008`, from any message, and returns every rejection instead of the first. For dry runs only: it
 * must not be used to accept a message.
 * @param isFit whether the element at a path was found valid; the values of invalid elements are meaningless
 */
export function readPacs008Throughout(
  document: XmlElement,
  isFit: IsFit = () => true,
): { readonly value: Pacs008 } & ReturnType<typeof judgeFit> {
  const value = readValues(document, 'source', whereGiven);
  return { value, ...judgeFit(sourceChecks, value, isFit) };
}

/** Every amount of the message with its path below `CdtTrfTxInf`, in document order. */
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

const amountCheck: Check<Pacs008> = {
  name: 'amounts above zero, digits of the rate',
  ruleId: 'MSG-4',
  needs: [],
  run: checkAmounts,
};
const codeCheck: Check<Pacs008> = {
  name: 'codes in their external code sets',
  ruleId: 'MSG-4',
  needs: [],
  run: ({ header, transaction }) => [
    ...findUnknownCodes(header, pacs008Paths.group),
    ...findUnknownCodes(transaction, pacs008Paths.transaction),
  ],
};
const ibanCheck: Check<Pacs008> = {
  name: 'lengths and check digits of IBANs',
  ruleId: 'REF-7',
  needs: [],
  run: ({ header, transaction }) => [
    ...findWrongIbans(header, pacs008Paths.group),
    ...findWrongIbans(transaction, pacs008Paths.transaction),
  ],
};
const currencyCheck: Check<Pacs008> = {
  name: 'currencies of one corridor',
  ruleId: 'MSG-4',
  needs: ['IntrBkSttlmAmt', 'AgrdRate', 'ChrgsInf/Amt', 'InstdAmt'].map(inTransaction),
  run: checkCurrencies,
};

/**
 * The checks of REF-7, MSG-4, MSG-5 and MSG-10 that need no reference data. The answer states the first
 * rejection. `currency-checks.ts` checks the currencies against those of the two countries.
 */
const sourceChecks: readonly Check<Pacs008>[] = [
  { name: 'elements of forwarded messages', ruleId: 'MSG-10', needs: [], run: checkForwardedElements },
  amountCheck,
  codeCheck,
  ibanCheck,
];
/**
 * The checks of forwarded messages, which settle in the destination currency. They need no reference data.
 */
const destinationChecks: readonly Check<Pacs008>[] = [amountCheck, codeCheck, currencyCheck];

/** No amount may be zero, except the source PSP's fee. A rate has at most 11 digits as written. */
function* checkAmounts(value: Pacs008, isFit: IsFit): Iterable<Rejection> {
  const mayBeZero = 'ChrgsInf[1]/Amt';
  for (const { amount, path } of amountsOf(value)) {
    const isJudged = path !== mayBeZero && isFit(withoutPositions(inTransaction(path)));
    if (!isJudged || !isZero(amount.amount)) continue;
    yield reject('amount-zero', inTransaction(path), undefined, {
      found: amount.amount,
      expected: 'more than 0',
    });
  }
  const { preAgreedExchangeRate: rate } = value.agreedRate;
  if (isFit(inTransaction('AgrdRate/PreAgrdXchgRate')) && rateFault(rate)) {
    const expected = `at most ${maxRateDigits} digits as written, zeros included`;
    const text = `more than ${maxRateDigits} digits`;
    yield reject('schema-invalid', inTransaction('AgrdRate/PreAgrdXchgRate'), 'MON-1', {
      text,
      found: rate,
      expected,
    });
  }
}

/** Refuses elements that only a forwarded message may have. */
function* checkForwardedElements(value: Pacs008): Iterable<Rejection> {
  const { previousInstructingAgent1, previousInstructingAgent1Account } = value;
  const details = {
    text: 'for the forwarded message only',
    fault: 'not-used',
    expected: 'no such element',
  } as const;
  if (previousInstructingAgent1)
    yield reject('guideline-violated', inTransaction('PrvsInstgAgt1'), 'MSG-10', details);
  if (previousInstructingAgent1Account) {
    yield reject('guideline-violated', inTransaction('PrvsInstgAgt1Acct'), 'MSG-10', details);
  }
}

/** All currencies of a forwarded message must belong to one corridor. */
function* checkCurrencies(value: Pacs008): Iterable<Rejection> {
  const { interbankSettlementAmount, agreedRate, charges, instructedAmount } = value;
  const { unitCurrency, quotedCurrency } = agreedRate;
  const wrong = (path: string, found: string, ...expected: readonly string[]) =>
    reject('currency-wrong', inTransaction(path), undefined, { found, expected: expected.join(' or ') });
  if (interbankSettlementAmount.currency !== quotedCurrency) {
    const expected = `${interbankSettlementAmount.currency}, as in IntrBkSttlmAmt`;
    yield wrong('AgrdRate/QtdCcy', quotedCurrency, expected);
  }
  if (charges[0].currency !== unitCurrency) {
    yield wrong('ChrgsInf[1]/Amt', charges[0].currency, unitCurrency);
  }
  if (charges[1].currency !== quotedCurrency) {
    yield wrong('ChrgsInf[2]/Amt', charges[1].currency, quotedCurrency);
  }
  if (instructedAmount && ![unitCurrency, quotedCurrency].includes(instructedAmount.currency)) {
    yield wrong('InstdAmt', instructedAmount.currency, unitCurrency, quotedCurrency);
  }
}
