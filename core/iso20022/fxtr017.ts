/**
 * Builds the fxtr.017 that notifies an FX provider of a completed payment (NOT-2), and reads it for simulated
 * providers. It contains institutions, the provider's accounts and amounts, but no personal data.
 */
import { assert } from '../assert.ts';
import type { Rejection } from '../rejections/rejection.ts';
import { ok, type Result } from '../result.ts';
import { messages } from './messages.ts';
import { compact } from '../compact.ts';
import { buildAmount, collapsed, readAmount, type AgentIdentification, type Amount } from './parties.ts';
import { branch, elementAt, leaf, optionalLeaf, renderDocument, textAt, type XmlElement } from './tree.ts';

/** The name of the service in every notification (`PdctTp`). */
const productType = 'ISTHMUS';

export interface Fxtr017 {
  readonly messageIdentification: string;
  /** The UETR has hyphens here, but none in the message. */
  readonly uetr: string;
  /** The quote id has hyphens here, but none in the message. */
  readonly quoteId: string;
  /** UTC date of the payment's completion; it is both trade date and settlement date. */
  readonly completionDate: string;
  readonly sourcePsp: AgentIdentification;
  readonly fxp: AgentIdentification;
  /** Destination amount and currency. The source PSP, the trading side, buys it; the FX provider sells it. */
  readonly tradingSideBuyAmount: Amount;
  /** Source amount and currency. The source PSP sells it; the FX provider buys it. */
  readonly tradingSideSellAmount: Amount;
  readonly exchangeRate: string;
  readonly destinationSap: AgentIdentification;
  /** The FX provider's account at the destination SAP. */
  readonly destinationSapAccountId: string;
  readonly destinationPsp: AgentIdentification;
  readonly sourceSap: AgentIdentification;
  /** The FX provider's account at the source SAP. */
  readonly sourceSapAccountId: string;
}

const message = messages.fxtr017;

const withoutHyphens = (uuid: string) => uuid.replaceAll('-', '');
const withHyphens = (hex: string) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

const maxPartyNameLength = 34; // PtyNm; a longer id is omitted, because a cut one could name another institution

function fits(id: string | undefined): boolean {
  return id !== undefined && id.length <= maxPartyNameLength;
}

/** Names the party by its BIC alone if it has one and no account is given; otherwise by name, LEI and account. */
function buildParty(name: string, agent: AgentIdentification, accountId?: string): XmlElement {
  const { bicfi, lei } = agent;
  const bic = bicfi === undefined ? undefined : branch('AnyBIC', leaf('AnyBIC', bicfi));
  if (bic !== undefined && accountId === undefined) return branch(name, bic);
  const otherId = agent.otherId ?? agent.memberId?.memberId;
  return branch(
    name,
    branch(
      'PtyId',
      optionalLeaf('PtyNm', bicfi === undefined && lei === undefined && fits(otherId) ? otherId : undefined),
      bic,
      optionalLeaf('AcctNb', accountId),
      optionalLeaf('LglNttyIdr', bicfi === undefined ? lei : undefined),
    ),
  );
}

function readParty(element: XmlElement): AgentIdentification {
  return compact<AgentIdentification>({
    bicfi: textAt(element, 'AnyBIC/AnyBIC') ?? textAt(element, 'PtyId/AnyBIC/AnyBIC'),
    lei: textAt(element, 'PtyId/LglNttyIdr'),
    otherId: textAt(element, 'PtyId/PtyNm'),
  });
}

/** Renders the fxtr.017 as XML text. */
export function buildFxtr017(values: Fxtr017): string {
  const uetr = withoutHyphens(values.uetr);
  const { tradingSideBuyAmount: buy, tradingSideSellAmount: sell } = values;
  const notification = branch(
    message.messageElement,
    branch('StsDtls', leaf('MtchgSysUnqRef', uetr), branch('CurSts', branch('StsCd', leaf('Cd', 'STLD')))),
    branch(
      'TradInf',
      leaf('TradDt', values.completionDate),
      leaf('MsgId', values.messageIdentification),
      leaf('OrgtrRef', uetr),
      leaf('CmonRef', withoutHyphens(values.quoteId)),
      leaf('PdctTp', productType),
      leaf('SpltTradInd', 'false'),
    ),
    branch('TradgSdId', buildParty('SubmitgPty', values.sourcePsp)),
    branch('CtrPtySdId', buildParty('SubmitgPty', values.fxp)),
    branch(
      'TradAmts',
      branch('TradgSdBuyAmt', buildAmount('Amt', buy)),
      branch('TradgSdSellAmt', buildAmount('Amt', sell)),
      leaf('SttlmDt', values.completionDate),
    ),
    branch(
      'AgrdRate',
      leaf('XchgRate', values.exchangeRate),
      leaf('UnitCcy', sell.currency),
      leaf('QtdCcy', buy.currency),
    ),
    branch(
      'TradgSdSttlmInstrs',
      buildParty('DlvryAgt', values.destinationSap, values.destinationSapAccountId),
      buildParty('RcvgAgt', values.destinationPsp),
    ),
    branch(
      'CtrPtySdSttlmInstrs',
      buildParty('DlvryAgt', values.sourcePsp),
      buildParty('RcvgAgt', values.sourceSap, values.sourceSapAccountId),
    ),
  );
  return renderDocument(message.namespace, branch('Document', notification));
}

/** Reads an fxtr.017 that passed its schema. */
export function readFxtr017(document: XmlElement): Result<Fxtr017, Rejection> {
  const at = (path: string): XmlElement => {
    const found = elementAt(document, `${message.messageElement}/${path}`);
    assert(found !== undefined, `${path} is mandatory in the schema, yet absent in a validated message`);
    return found;
  };
  return ok({
    messageIdentification: at('TradInf/MsgId').text,
    uetr: withHyphens(at('TradInf/OrgtrRef').text),
    quoteId: withHyphens(at('TradInf/CmonRef').text),
    completionDate: collapsed(at('TradAmts/SttlmDt').text),
    sourcePsp: readParty(at('TradgSdId/SubmitgPty')),
    fxp: readParty(at('CtrPtySdId/SubmitgPty')),
    tradingSideBuyAmount: readAmount(at('TradAmts/TradgSdBuyAmt/Amt')),
    tradingSideSellAmount: readAmount(at('TradAmts/TradgSdSellAmt/Amt')),
    exchangeRate: collapsed(at('AgrdRate/XchgRate').text),
    destinationSap: readParty(at('TradgSdSttlmInstrs/DlvryAgt')),
    destinationSapAccountId: at('TradgSdSttlmInstrs/DlvryAgt/PtyId/AcctNb').text,
    destinationPsp: readParty(at('TradgSdSttlmInstrs/RcvgAgt')),
    sourceSap: readParty(at('CtrPtySdSttlmInstrs/RcvgAgt')),
    sourceSapAccountId: at('CtrPtySdSttlmInstrs/RcvgAgt/PtyId/AcctNb').text,
  });
}
