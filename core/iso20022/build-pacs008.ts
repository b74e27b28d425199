/**
 * Builds the pacs.008 for the destination (MSG-9, MSG-10), and new ones for tests and the demo's sources. Everything
 * that no rule changes is forwarded as received.
 */
import { messages } from './messages.ts';
import type { Pacs008 } from './pacs008.ts';
import {
  buildAccount,
  buildAgent,
  buildAmount,
  type AccountIdentification,
  type AgentIdentification,
  type Amount,
} from './parties.ts';
import { branch, childrenNamed, leaf, optionalLeaf, renderDocument, type XmlElement } from './tree.ts';

/** The values that MSG-10 sets; everything else comes from the received message. */
export interface ForwardedLeg {
  readonly messageIdentification: string;
  readonly creationDateTime: string;
  /** The destination clearing system. */
  readonly clearingSystemId: string;
  /** The destination amount. */
  readonly interbankSettlementAmount: Amount;
  /** UTC date of forwarding. */
  readonly settlementDate: string;
  /** The destination SAP. */
  readonly instructingAgent: AgentIdentification;
  /** The destination PSP. */
  readonly instructedAgent: AgentIdentification;
  /** The source SAP, from `IntrmyAgt1` or the quote. */
  readonly previousInstructingAgent1?: AgentIdentification;
  readonly previousInstructingAgent1Account?: AccountIdentification;
  /** Set only if the received message omits it and the quote supplies it. */
  readonly intermediaryAgent2?: AgentIdentification;
  readonly intermediaryAgent2Account?: AccountIdentification;
}

/**
 * How the gateway treats an element that its own usage guideline does not have.
 * `pass`: it forwards the element as received.
 * `leave-out`: it drops the element.
 * `leg`: the element is `GrpHdr/InstgAgt` or `GrpHdr/InstdAgt`. It names the agents of each leg and replaces
 * the element of that name in `CdtTrfTxInf`.
 */
export type ElementRule = 'pass' | 'leave-out' | 'leg';

/** How the gateway forwards a pacs.008 that follows a given usage guideline. */
export interface Forwarding {
  /** The children of `GrpHdr` and of `CdtTrfTxInf`, in schema order. */
  readonly headerOrder: readonly string[];
  readonly transactionOrder: readonly string[];
  /**
   * Keyed by path, for example `GrpHdr/InstgAgt`. The gateway forwards an element of `CdtTrfTxInf` that has
   * no rule.
   */
  readonly rules: Readonly<Record<string, ElementRule>>;
}

const transactionOrder: readonly string[] = [
  'PmtId',
  'PmtTpInf',
  'IntrBkSttlmAmt',
  'IntrBkSttlmDt',
  'AddtlDtTm',
  'InstdAmt',
  'AgrdRate',
  'ChrgBr',
  'ChrgsInf',
  'PrvsInstgAgt1',
  'PrvsInstgAgt1Acct',
  'InstgAgt',
  'InstdAgt',
  'IntrmyAgt1',
  'IntrmyAgt1Acct',
  'IntrmyAgt2',
  'IntrmyAgt2Acct',
  'UltmtDbtr',
  'Dbtr',
  'DbtrAcct',
  'DbtrAgt',
  'CdtrAgt',
  'Cdtr',
  'CdtrAcct',
  'UltmtCdtr',
  'InstrForCdtrAgt',
  'Purp',
  'RgltryRptg',
  'RmtInf',
];

/** The forwarding under the gateway's own usage guideline, in `schemas`. */
export const ownForwarding: Forwarding = {
  headerOrder: ['MsgId', 'CreDtTm', 'NbOfTxs', 'SttlmInf'],
  transactionOrder,
  rules: {},
};

const clearingSystemCode = /^[A-Z0-9]{1,3}$/; // the schema type ClearingSystemCode; longer ids go into Prtry

function buildGroup(values: {
  messageIdentification: string;
  creationDateTime: string;
  clearingSystemId: string;
}): XmlElement {
  const { clearingSystemId } = values;
  const inCode = clearingSystemCode.test(clearingSystemId);
  return branch(
    'GrpHdr',
    leaf('MsgId', values.messageIdentification),
    leaf('CreDtTm', values.creationDateTime),
    leaf('NbOfTxs', '1'),
    branch(
      'SttlmInf',
      leaf('SttlmMtd', 'CLRG'),
      branch('ClrSys', leaf(inCode ? 'Cd' : 'Prtry', clearingSystemId)),
    ),
  );
}

function render(group: XmlElement, transaction: XmlElement): string {
  const { namespace, messageElement } = messages.pacs008;
  return renderDocument(namespace, branch('Document', branch(messageElement, group, transaction)));
}

const agentElement = (name: string, agent: AgentIdentification | undefined) =>
  agent === undefined ? undefined : buildAgent(name, agent);
const accountElement = (name: string, account: AccountIdentification | undefined) =>
  account === undefined ? undefined : buildAccount(name, account);

/** Copies an agent or account exactly as received, under another element name. */
function moved(transaction: XmlElement, from: string, to: string): XmlElement | undefined {
  const found = transaction.children.find((one) => one.name === from);
  return found === undefined ? undefined : { ...found, name: to };
}

/**
 * Renders the pacs.008 for the destination as XML text. `IntrmyAgt1` and its account move to `PrvsInstgAgt1` as
 * received; `IntrmyAgt2` and its account keep their place. If the message omits them, they come from `leg`.
 * @param forwarding belongs to the usage guideline of the received message; the result follows the same guideline
 */
export function buildForwardedPacs008(
  received: Pacs008,
  leg: ForwardedLeg,
  forwarding: Forwarding = ownForwarding,
): string {
  const { transaction } = received;
  const inHeader = (name: string) => forwarding.rules[`GrpHdr/${name}`] === 'leg';
  const replaced = new Map<string, XmlElement | undefined>([
    ['IntrBkSttlmAmt', buildAmount('IntrBkSttlmAmt', leg.interbankSettlementAmount)], // seam: settlement-amount
    ['IntrBkSttlmDt', leaf('IntrBkSttlmDt', leg.settlementDate)],
    ['InstgAgt', inHeader('InstgAgt') ? undefined : buildAgent('InstgAgt', leg.instructingAgent)],
    ['InstdAgt', inHeader('InstdAgt') ? undefined : buildAgent('InstdAgt', leg.instructedAgent)],
    [
      'PrvsInstgAgt1',
      moved(transaction, 'IntrmyAgt1', 'PrvsInstgAgt1') ??
        agentElement('PrvsInstgAgt1', leg.previousInstructingAgent1),
    ],
    [
      'PrvsInstgAgt1Acct',
      moved(transaction, 'IntrmyAgt1Acct', 'PrvsInstgAgt1Acct') ??
        accountElement('PrvsInstgAgt1Acct', leg.previousInstructingAgent1Account),
    ],
    ['IntrmyAgt1', undefined],
    ['IntrmyAgt1Acct', undefined],
    [
      'IntrmyAgt2',
      moved(transaction, 'IntrmyAgt2', 'IntrmyAgt2') ?? agentElement('IntrmyAgt2', leg.intermediaryAgent2),
    ],
    [
      'IntrmyAgt2Acct',
      moved(transaction, 'IntrmyAgt2Acct', 'IntrmyAgt2Acct') ??
        accountElement('IntrmyAgt2Acct', leg.intermediaryAgent2Account),
    ],
  ]);
  const passes = (name: string) => forwarding.rules[`CdtTrfTxInf/${name}`] !== 'leave-out';
  const children = forwarding.transactionOrder.flatMap((name) =>
    replaced.has(name) ? [replaced.get(name)] : childrenNamed(transaction, name).filter(() => passes(name)),
  );
  return render(forwardedHeader(received, leg, forwarding), branch('CdtTrfTxInf', ...children));
}

/**
 * Builds the header with the gateway's ids and clearing system, and with the elements that the guideline
 * adds.
 */
function forwardedHeader(
  { header }: Pacs008,
  leg: ForwardedLeg,
  { headerOrder, rules }: Forwarding,
): XmlElement {
  const own = buildGroup(leg);
  const agents = { InstgAgt: leg.instructingAgent, InstdAgt: leg.instructedAgent } as const;
  const childrenOf = (name: string): readonly XmlElement[] => {
    const rule = rules[`GrpHdr/${name}`];
    if (rule === undefined) return childrenNamed(own, name);
    if (rule === 'pass') return childrenNamed(header, name);
    return rule === 'leg' && (name === 'InstgAgt' || name === 'InstdAgt')
      ? [buildAgent(name, agents[name])]
      : [];
  };
  return branch('GrpHdr', ...headerOrder.flatMap(childrenOf));
}

/** A natural person or organisation in an original message. */
interface Party {
  readonly name: string;
  readonly townName?: string;
  readonly country?: string;
}

/** The values of a new pacs.008. MSG-6 defines the order of `charges`. */
export interface OriginalPacs008 extends Omit<
  Pacs008,
  | 'header'
  | 'transaction'
  | 'acceptanceDateTime'
  | 'previousInstructingAgent1'
  | 'previousInstructingAgent1Account'
> {
  readonly acceptanceDateTime: string;
  readonly debtor: Party;
  readonly creditor: Party;
  readonly remittanceInformation?: string;
}

function buildParty(name: string, party: Party): XmlElement {
  const { townName, country } = party;
  const address =
    townName === undefined || country === undefined
      ? undefined
      : branch('PstlAdr', leaf('TwnNm', townName), leaf('Ctry', country));
  return branch(name, leaf('Nm', party.name), address);
}

function buildIdentification(values: OriginalPacs008): XmlElement {
  return branch(
    'PmtId',
    optionalLeaf('InstrId', values.instructionId),
    leaf('EndToEndId', values.endToEndId),
    optionalLeaf('TxId', values.transactionId),
    leaf('UETR', values.uetr),
    optionalLeaf('ClrSysRef', values.clearingSystemReference),
  );
}

/** Renders a new pacs.008, as a source operator submits it, as XML text. */
export function buildPacs008(values: OriginalPacs008): string {
  const { agreedRate, categoryPurpose, purpose, instructedAmount, remittanceInformation } = values;
  const transaction = branch(
    'CdtTrfTxInf',
    buildIdentification(values),
    branch(
      'PmtTpInf',
      leaf('InstrPrty', values.priority),
      categoryPurpose === undefined ? undefined : branch('CtgyPurp', leaf('Cd', categoryPurpose)),
    ),
    buildAmount('IntrBkSttlmAmt', values.interbankSettlementAmount),
    optionalLeaf('IntrBkSttlmDt', values.settlementDate),
    branch('AddtlDtTm', leaf('AccptncDtTm', values.acceptanceDateTime)),
    instructedAmount === undefined ? undefined : buildAmount('InstdAmt', instructedAmount),
    branch(
      'AgrdRate',
      leaf('UnitCcy', agreedRate.unitCurrency),
      leaf('QtdCcy', agreedRate.quotedCurrency),
      leaf('PreAgrdXchgRate', agreedRate.preAgreedExchangeRate),
      optionalLeaf('QtId', agreedRate.quoteId),
    ),
    leaf('ChrgBr', 'SHAR'),
    ...values.charges.map((charge) =>
      branch('ChrgsInf', buildAmount('Amt', charge), buildAgent('Agt', charge.agent)),
    ),
    agentElement('InstgAgt', values.instructingAgent),
    agentElement('InstdAgt', values.instructedAgent),
    agentElement('IntrmyAgt1', values.intermediaryAgent1),
    accountElement('IntrmyAgt1Acct', values.intermediaryAgent1Account),
    agentElement('IntrmyAgt2', values.intermediaryAgent2),
    accountElement('IntrmyAgt2Acct', values.intermediaryAgent2Account),
    buildParty('Dbtr', values.debtor),
    buildAccount('DbtrAcct', values.debtorAccount),
    buildAgent('DbtrAgt', values.debtorAgent),
    buildAgent('CdtrAgt', values.creditorAgent),
    buildParty('Cdtr', values.creditor),
    buildAccount('CdtrAcct', values.creditorAccount),
    purpose === undefined ? undefined : branch('Purp', leaf('Cd', purpose)),
    remittanceInformation === undefined ? undefined : branch('RmtInf', leaf('Ustrd', remittanceInformation)),
  );
  return render(buildGroup(values), transaction);
}
