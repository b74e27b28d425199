// Payments whose form the rules refuse by a pacs.002 (MSG-4 to MSG-10). Each is a valid payment with own FX, except for
// one edit.
import { draftPayment, write } from '../draft.ts';
import { after, before, swap, type Edit } from '../edits.ts';
import { payWrongly } from '../paying.ts';
import type { Story } from '../tools.ts';
import { drawOwnTerms, ownCorridor } from './payments.ts';

interface WrongForm {
  readonly name: string;
  readonly code: string;
  readonly edit: Edit;
}

const amount = /(<IntrBkSttlmAmt Ccy="SGD">)[^<]+/;
const fee = /(<Amt Ccy="THB">)[^<]+/;
const creditorName = /<Cdtr><Nm>[^<]*<\/Nm>/;
const named = (name: string): Edit => swap(creditorName, `<Cdtr><Nm>${name}</Nm>`);

const forms: readonly WrongForm[] = [
  { name: 'too-many-decimals', code: 'CH20', edit: swap(amount, '<IntrBkSttlmAmt Ccy="SGD">100.001') },
  { name: 'six-decimals', code: 'CH20', edit: swap(amount, '<IntrBkSttlmAmt Ccy="SGD">100.000001') },
  { name: 'fee-decimals', code: 'CH20', edit: swap(fee, '<Amt Ccy="THB">100.123') },
  { name: 'zero-amount', code: 'FF01', edit: swap(amount, '<IntrBkSttlmAmt Ccy="SGD">0.00') },
  { name: 'exponent', code: 'FF01', edit: swap(amount, '<IntrBkSttlmAmt Ccy="SGD">1e3') },
  { name: 'negative-amount', code: 'FF01', edit: swap(amount, '<IntrBkSttlmAmt Ccy="SGD">-100') },
  { name: 'currency-of-nobody', code: 'CURR', edit: swap(amount, '<IntrBkSttlmAmt Ccy="USD">100') },
  { name: 'currency-of-another', code: 'CURR', edit: swap('<QtdCcy>THB', '<QtdCcy>MYR') },
  { name: 'charges-in-another', code: 'CURR', edit: swap(fee, '<Amt Ccy="MYR">100') },
  {
    name: 'long-rate',
    code: 'FF01',
    edit: swap(/<PreAgrdXchgRate>[^<]+/, '<PreAgrdXchgRate>25.0000000000'),
  },
  { name: 'charge-bearer', code: 'FF01', edit: swap('SHAR', 'DEBT') },
  { name: 'not-of-the-scheme', code: 'FF01', edit: after('</AddtlDtTm>', '<XchgRate>25</XchgRate>') },
  { name: 'unknown-element', code: 'FF01', edit: after('</AddtlDtTm>', '<Canary>25</Canary>') },
  { name: 'letters-beyond-ascii', code: 'FF01', edit: after('</AddtlDtTm>', '<Bétrag·>25</Bétrag·>') },
  { name: 'letters-of-four-bytes', code: 'FF01', edit: after('</AddtlDtTm>', '<A𐀀>25</A𐀀>') },
  { name: 'long-element-name', code: 'FF01', edit: after('</AddtlDtTm>', `<${'N'.repeat(30_000)}/>`) },
  { name: 'attribute', code: 'FF01', edit: swap('<Dbtr>', '<Dbtr canary="1">') },
  { name: 'no-charge-bearer', code: 'CH21', edit: swap('<ChrgBr>SHAR</ChrgBr>', '') },
  { name: 'no-debtor-account', code: 'CH21', edit: swap(/<DbtrAcct>.*?<\/DbtrAcct>/, '') },
  { name: 'empty-id', code: 'CH21', edit: swap(/<EndToEndId>[^<]*/, '<EndToEndId>') },
  { name: 'blank-name', code: 'CH21', edit: named('   ') },
  { name: 'required-element', code: 'CH21', edit: swap(/<CtgyPurp>.*?<\/CtgyPurp>/, '') },
  {
    name: 'own-words-for-a-code',
    code: 'CH21',
    edit: swap(/<CtgyPurp>.*?<\/CtgyPurp>/, '<CtgyPurp><Prtry>RENT</Prtry></CtgyPurp>'),
  },
  { name: 'unknown-purpose', code: 'FF01', edit: swap(/<Purp><Cd>\w+/, '<Purp><Cd>ZZZZ') },
  { name: 'charges-of-another', code: 'FF01', edit: chargesOf('HARBTHS0') },
  { name: 'element-of-forwarded', code: 'FF01', edit: before('<InstgAgt>', previous()) },
  { name: 'two-transactions', code: 'FF01', edit: twice },
  { name: 'clearing-system-of-another', code: 'AGNT', edit: swap('SGDFAST</Prtry>', 'MYRRPP</Prtry>') },
  { name: 'neither-quote-nor-account', code: 'RC11', edit: swap(/<IntrmyAgt2>.*<\/IntrmyAgt2Acct>/, '') },
  { name: 'writing-direction', code: 'FF01', edit: named('\u061Cمحمد') },
  { name: 'line-break-in-a-name', code: 'FF01', edit: named('Canary&#xA;Tan') },
  { name: 'huge-name', code: 'FF01', edit: named('Canary '.repeat(2_000)) },
  {
    name: 'second-key-of-another-namespace',
    code: 'FF01',
    edit: before('<UETR>', '<UETR xmlns="urn:other">00000000-0000-4000-8000-000000000000</UETR>'),
  },
];

function previous(): string {
  return '<PrvsInstgAgt1><FinInstnId><BICFI>HARBSGS0</BICFI></FinInstnId></PrvsInstgAgt1>';
}

function chargesOf(bic: string): Edit {
  const charges = /(<Amt Ccy="THB">[^<]+<\/Amt>)<Agt>.*?<\/Agt>/;
  return (xml) => xml.replace(charges, `$1<Agt><FinInstnId><BICFI>${bic}</BICFI></FinInstnId></Agt>`);
}

function twice(xml: string): string {
  const one = /<CdtTrfTxInf>.*<\/CdtTrfTxInf>/s.exec(xml)?.[0] ?? '';
  return before('</FIToFICstmrCdtTrf>', one)(xml);
}

const storyOf = ({ name, code, edit }: WrongForm): Story => ({
  name: `refused/${name}`,
  weight: 0.25,
  play: async (tools) => {
    const { random, canaries } = tools;
    const wanted = { corridor: ownCorridor, debtorPsp: 'LOTUSGS0', priority: 'NORM', plain: true } as const;
    const draft = draftPayment(random, canaries, wanted);
    const terms = drawOwnTerms(random);
    const api = random.integer(0, 7);
    await tools.ready(ownCorridor.source.system);
    const body = edit(write(draft, terms, tools.now()));
    await payWrongly(tools, draft, body, { api, code, purpose: `refused/${name}` });
  },
});

export const refusedForms: readonly Story[] = forms.map(storyOf);
