// Rows of the rejections that a message earns by its form: a valid instruction, one change, and what the source is
// told.
import type { OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import type { QuoteOnOffer } from '../../fixtures/bodies.ts';
import type { TestGateway } from '../harness/gateway.ts';
import { cut, swap } from '../harness/patches.ts';
import type { Trip } from '../harness/payer.ts';

export type Changes = Partial<OriginalPacs008>;

export interface Row {
  /** What the gateway guarantees. */
  readonly title: string;
  readonly code: string;
  /** Rule and XPath, as `AddtlInf` begins. */
  readonly told: string;
  readonly trip?: Trip;
  /** Of a valid instruction's values. */
  readonly change?: (quote: QuoteOnOffer, valid: OriginalPacs008) => Changes;
  /** Of a valid instruction's text. */
  readonly edit?: (xml: string) => string;
  /** Before it is submitted. */
  readonly before?: (gateway: TestGateway, quote: QuoteOnOffer) => Promise<void>;
}

export const tx = (path: string) => `CdtTrfTxInf/${path}`;

/** Charges with one entry replaced in part. */
export function charges(valid: OriginalPacs008, index: 0 | 1, change: object): Changes {
  const [first, second] = valid.charges;
  return { charges: index === 0 ? [{ ...first, ...change }, second] : [first, { ...second, ...change }] };
}

/** The creditor agent replaced, in both places that name it. */
export function creditorAgent(valid: OriginalPacs008, agent: OriginalPacs008['creditorAgent']): Changes {
  return { ...charges(valid, 1, { agent }), creditorAgent: agent };
}

export function debtorAgent(valid: OriginalPacs008, agent: OriginalPacs008['debtorAgent']): Changes {
  return { ...charges(valid, 0, { agent }), debtorAgent: agent };
}

/** What a message must be by itself and by reference data (MSG-4 to MSG-7, MSG-10). */
export const form: readonly Row[] = [
  {
    title: 'a quote id is a lower-case UUID v4 (MSG-4, QUO-7)',
    code: 'FF01',
    told: `MSG-4 ${tx('AgrdRate/QtId')}`,
    change: (_, { agreedRate }) => ({ agreedRate: { ...agreedRate, quoteId: 'OWN-RATE' } }),
  },
  {
    title: 'a value that its type does not take is refused with its XPath (MSG-4)',
    code: 'FF01',
    told: `MSG-4 ${tx('IntrBkSttlmAmt')}`,
    edit: swap('>1000</IntrBkSttlmAmt>', '>1,000</IntrBkSttlmAmt>'),
  },
  {
    title: 'an element that the guideline does not know is refused, and not named (MSG-4, MSG-13)',
    code: 'FF01',
    told: 'MSG-4 CdtTrfTxInf: holds an unknown element',
    edit: swap('<ChrgBr>', '<Sprfls/><ChrgBr>'),
  },
  {
    title: 'a mandatory element must be there (MSG-4)',
    code: 'CH21',
    told: `MSG-4 ${tx('PmtId/EndToEndId')}`,
    edit: cut(/<EndToEndId>.*<\/EndToEndId>/),
  },
  {
    title: 'a mandatory element must not be empty (MSG-4)',
    code: 'CH21',
    told: `MSG-4 ${tx('PmtId/EndToEndId')}`,
    edit: swap('<EndToEndId>E2E-1<', '<EndToEndId><'),
  },
  {
    title: 'Prtry must not stand where an external code is required (MSG-4)',
    code: 'CH21',
    told: `MSG-4 ${tx('Purp/Prtry')}`,
    edit: swap('<Purp><Cd>GDDS</Cd></Purp>', '<Purp><Prtry>GDDS</Prtry></Purp>'),
  },
  {
    title: 'a purpose must be in its code set (MSG-4)',
    code: 'FF01',
    told: `MSG-4 ${tx('Purp/Cd')}`,
    change: () => ({ purpose: 'ZZZZ' }),
  },
  {
    title: 'a category purpose must be in its code set (MSG-4)',
    code: 'FF01',
    told: `MSG-4 ${tx('PmtTpInf/CtgyPurp/Cd')}`,
    change: () => ({ categoryPurpose: 'ZZZZ' }),
  },
  {
    title: 'an amount must not be zero (MSG-4)',
    code: 'FF01',
    told: `MSG-4 ${tx('IntrBkSttlmAmt')}`,
    change: () => ({ interbankSettlementAmount: { currency: 'SGD', amount: '0.00' } }),
  },
  {
    title: 'an amount has at most the decimals of its currency, source (MON-2)',
    code: 'CH20',
    told: `MON-2 ${tx('IntrBkSttlmAmt')}`,
    change: () => ({ interbankSettlementAmount: { currency: 'SGD', amount: '1000.001' } }),
  },
  {
    title: 'an amount has at most the decimals of its currency, destination (MON-2)',
    code: 'CH20',
    told: `MON-2 ${tx('ChrgsInf[2]/Amt')}`,
    change: (_, valid) => charges(valid, 1, { amount: '100.001' }),
  },
  {
    title: 'more decimals than any amount may have are wrong decimals, too (MSG-4)',
    code: 'CH20',
    told: `MSG-4 ${tx('IntrBkSttlmAmt')}`,
    edit: swap('>1000</IntrBkSttlmAmt>', '>1000.000001</IntrBkSttlmAmt>'),
  },
  {
    title: "the source amount is in the source country's currency (MSG-4)",
    code: 'CURR',
    told: `MSG-4 ${tx('IntrBkSttlmAmt')}`,
    change: (_, valid) => ({
      ...charges(valid, 0, { currency: 'MYR' }),
      interbankSettlementAmount: { currency: 'MYR', amount: '1000' },
      agreedRate: { ...valid.agreedRate, unitCurrency: 'MYR' },
    }),
  },
  {
    title: "the destination currency is one of the creditor agent's country (MSG-4)",
    code: 'CURR',
    told: `MSG-4 ${tx('AgrdRate/QtdCcy')}`,
    change: (_, valid) => ({
      ...charges(valid, 1, { currency: 'MYR' }),
      agreedRate: { ...valid.agreedRate, quotedCurrency: 'MYR' },
    }),
  },
  {
    title: 'the currencies of a message are those of one corridor (MSG-4)',
    code: 'CURR',
    told: `MSG-4 ${tx('ChrgsInf[2]/Amt')}`,
    change: (_, valid) => charges(valid, 1, { currency: 'MYR' }),
  },
  {
    title: 'a rate has at most 11 digits as written (MON-1)',
    code: 'FF01',
    told: `MON-1 ${tx('AgrdRate/PreAgrdXchgRate')}`,
    edit: swap('<PreAgrdXchgRate>25<', '<PreAgrdXchgRate>25.0000000000<'),
  },
  {
    title: 'a message has one transaction (MSG-5)',
    code: 'FF01',
    told: 'MSG-5 GrpHdr/NbOfTxs',
    edit: swap('<NbOfTxs>1<', '<NbOfTxs>2<'),
  },
  {
    title: 'a second transaction is refused, whatever NbOfTxs says (MSG-5)',
    code: 'FF01',
    told: `MSG-5 CdtTrfTxInf[2]`,
    edit: (xml) => xml.replace(/(<CdtTrfTxInf>.*<\/CdtTrfTxInf>)/s, (one: string) => one + one),
  },
  {
    title: 'a payment is settled by clearing (MSG-5)',
    code: 'FF01',
    told: 'MSG-5 GrpHdr/SttlmInf/SttlmMtd',
    edit: swap('<SttlmMtd>CLRG<', '<SttlmMtd>INDA<'),
  },
  {
    title: "the clearing system is the submitter's own (MSG-5)",
    code: 'AGNT',
    told: 'MSG-5 GrpHdr/SttlmInf/ClrSys/Prtry',
    change: () => ({ clearingSystemId: 'MYRRPP' }),
  },
  {
    title: 'a priority is HIGH or NORM (MSG-5)',
    code: 'FF01',
    told: `MSG-5 ${tx('PmtTpInf/InstrPrty')}`,
    edit: swap('<InstrPrty>NORM<', '<InstrPrty>URGT<'),
  },
  {
    title: 'charges are shared (MSG-5)',
    code: 'FF01',
    told: `MSG-5 ${tx('ChrgBr')}`,
    edit: swap('<ChrgBr>SHAR<', '<ChrgBr>DEBT<'),
  },
  ...['/E2E', 'E2E/', 'E2/' + '/E'].map((endToEndId) => ({
    title: `an id such as ${endToEndId} has stray slashes (MSG-5)`,
    code: 'FF01',
    told: `MSG-5 ${tx('PmtId/EndToEndId')}`,
    change: () => ({ endToEndId }),
  })),
  {
    title: 'the time of acceptance must be given (MSG-5)',
    code: 'CH21',
    told: `MSG-4 ${tx('AddtlDtTm')}`,
    edit: cut(/<AddtlDtTm>.*<\/AddtlDtTm>/),
  },
  {
    title: 'the first charges are those of the source PSP (MSG-6)',
    code: 'FF01',
    told: `MSG-6 ${tx('ChrgsInf[1]/Agt')}`,
    change: (_, valid) => charges(valid, 0, { agent: { bicfi: 'BANYSGS0' } }),
  },
  {
    title: 'the second charges are those of the destination PSP (MSG-6)',
    code: 'FF01',
    told: `MSG-6 ${tx('ChrgsInf[2]/Agt')}`,
    change: (_, valid) => charges(valid, 1, { agent: { bicfi: 'BANYTHS0' } }),
  },
  {
    title: 'the creditor agent fee must be there (MSG-6)',
    code: 'CH21',
    told: `MSG-4 ${tx('ChrgsInf[2]')}`,
    edit: cut(/<ChrgsInf><Amt Ccy="THB">.*?<\/ChrgsInf>/),
  },
  {
    title: 'the agreed rate must be there (MSG-6)',
    code: 'CH21',
    told: `MSG-4 ${tx('AgrdRate/PreAgrdXchgRate')}`,
    edit: cut(/<PreAgrdXchgRate>.*<\/PreAgrdXchgRate>/),
  },
  {
    title: 'a category purpose must be there where the destination requires one (MSG-7)',
    code: 'CH21',
    told: `MSG-7 ${tx('PmtTpInf/CtgyPurp/Cd')}`,
    edit: cut(/<CtgyPurp>.*<\/CtgyPurp>/),
  },
  {
    title: 'a purpose must be there where the destination requires one (MSG-7)',
    code: 'CH21',
    told: `MSG-7 ${tx('Purp/Cd')}`,
    trip: { destination: 'MY', destinationCurrency: 'MYR' },
    change: (_, valid) => creditorAgent(valid, { bicfi: 'LOTUMYS0' }),
    edit: cut(/<Purp>.*<\/Purp>/),
  },
  {
    title: 'what only a forwarded message carries is refused from a source (MSG-10)',
    code: 'FF01',
    told: `MSG-10 ${tx('PrvsInstgAgt1')}`,
    edit: swap(
      '<InstgAgt>',
      '<PrvsInstgAgt1><FinInstnId><BICFI>HARBSGS0</BICFI></FinInstnId></PrvsInstgAgt1><InstgAgt>',
    ),
  },
];
