// Rejections for the form of a message, one row each: a valid instruction, one change, and the answer.
import type { OriginalPacs008 } from '../../core/iso20022/build-pacs008.ts';
import type { QuoteOnOffer } from '../../fixtures/bodies.ts';
import type { TestGateway } from '../harness/gateway.ts';
import { cut, swap } from '../harness/patches.ts';
import type { Trip } from '../harness/payer.ts';

export type Changes = Partial<OriginalPacs008>;

export interface Row {
  /** The guarantee, as the title of the test. */
  readonly title: string;
  readonly code: string;
  /** Rule and XPath: the beginning of `AddtlInf`. */
  readonly told: string;
  readonly trip?: Trip;
  /** Changes the values of a valid instruction. */
  readonly change?: (quote: QuoteOnOffer, valid: OriginalPacs008) => Changes;
  /** Edits the text of a valid instruction. */
  readonly edit?: (xml: string) => string;
  /** Runs before the submission. */
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

/** Rejections by schema, code sets and reference data. */
export const form: readonly Row[] = [
  {
    title: 'a quote id is a lower-case UUID v4 (MSG-4, QUO-7)',
    code: 'FF01',
    told: `MSG-4 ${tx('AgrdRate/QtId')}`,
    change: (_, { agreedRate }) => ({ agreedRate: { ...agreedRate, quoteId: 'OWN-RATE' } }),
  },
  {
    title: 'a mandatory element must be there (MSG-4)',
    code: 'CH21',
    told: `MSG-4 ${tx('PmtId/EndToEndId')}`,
    edit: cut(/<EndToEndId>.*<\/EndToEndId>/),
  },
  {
    title: 'a purpose must be in its code set (MSG-4)',
    code: 'FF01',
    told: `MSG-4 ${tx('Purp/Cd')}`,
    change: () => ({ purpose: 'ZZZZ' }),
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
    title: "the clearing system is the submitter's own (MSG-5)",
    code: 'AGNT',
    told: 'MSG-5 GrpHdr/SttlmInf/ClrSys/Prtry',
    change: () => ({ clearingSystemId: 'MYRRPP' }),
  },
  {
    title: 'an id must not have stray slashes (MSG-5)',
    code: 'FF01',
    told: `MSG-5 ${tx('PmtId/EndToEndId')}`,
    change: () => ({ endToEndId: '/E2E' }),
  },
  {
    title: 'the first charges are those of the source PSP (MSG-6)',
    code: 'FF01',
    told: `MSG-6 ${tx('ChrgsInf[1]/Agt')}`,
    change: (_, valid) => charges(valid, 0, { agent: { bicfi: 'BANYSGS0' } }),
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
