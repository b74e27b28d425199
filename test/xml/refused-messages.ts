// One refused message per rule: an edit of a valid message, and its rejection.
import type { RejectionKey } from '../../core/rejections/rejection-table.ts';
import { lotus } from './fixtures.ts';
import { edit as editText } from '../harness/patches.ts';

export interface RefusedMessage {
  /** What is wrong. */
  readonly fault: string;
  readonly text: string;
  readonly key: RejectionKey;
  readonly isoCode: string;
  readonly ruleId: string;
  /** Below the message element. */
  readonly path: string;
}

/** Replaces exactly one place of a valid pacs.008. */
const edit = (from: string | RegExp, to: string) => editText(lotus, from, to);

const drop = (name: string) => edit(new RegExp(`<${name}>[^]*?</${name}>\\s*`), '');
const value = (name: string, text: string) =>
  edit(new RegExp(`(<${name}[^>]*>)[^<]*(</${name}>)`), `$1${text}$2`);

type Verdict = Pick<RefusedMessage, 'key' | 'isoCode' | 'ruleId'>;
const invalid: Verdict = { key: 'schema-invalid', isoCode: 'FF01', ruleId: 'MSG-4' };
const missing: Verdict = { key: 'element-missing', isoCode: 'CH21', ruleId: 'MSG-4' };
const proprietary: Verdict = { key: 'code-required', isoCode: 'CH21', ruleId: 'MSG-4' };
const decimals: Verdict = { key: 'too-many-decimals', isoCode: 'CH20', ruleId: 'MSG-4' };
const currency: Verdict = { key: 'currency-wrong', isoCode: 'CURR', ruleId: 'MSG-4' };
const code: Verdict = { key: 'code-unknown', isoCode: 'FF01', ruleId: 'MSG-4' };
const zero: Verdict = { key: 'amount-zero', isoCode: 'FF01', ruleId: 'MSG-4' };
const guideline: Verdict = { key: 'guideline-violated', isoCode: 'FF01', ruleId: 'MSG-5' };
const charges: Verdict = { key: 'charges-agent-wrong', isoCode: 'FF01', ruleId: 'MSG-6' };

const tx = 'CdtTrfTxInf';

function refused(verdict: Verdict, path: string, fault: string, text: string): RefusedMessage {
  return { ...verdict, path, fault, text };
}

/** Refused by the schema. */
export const refusedBySchema: readonly RefusedMessage[] = [
  refused(missing, `${tx}/PmtId/EndToEndId`, 'no end-to-end id', drop('EndToEndId')),
  refused(missing, `${tx}/AddtlDtTm`, 'no acceptance time at all', drop('AddtlDtTm')),
  refused(missing, `${tx}/Dbtr/Nm`, 'an empty debtor name', value('Nm', '')),
  refused(missing, `${tx}/Dbtr/PstlAdr/TwnNm`, 'an address without town', drop('TwnNm')),
  refused(missing, `${tx}/ChrgsInf[2]`, 'one charge instead of two', drop('ChrgsInf')),
  refused(missing, 'GrpHdr/SttlmInf/ClrSys', 'no clearing system', drop('ClrSys')),
  refused(
    missing,
    `${tx}/DbtrAgt/FinInstnId/BICFI`,
    'an agent without any identifier',
    edit(/(<DbtrAgt>\s*<FinInstnId>)\s*<BICFI>LOTUSGS0<\/BICFI>/, '$1'),
  ),
  refused(
    proprietary,
    `${tx}/Purp/Prtry`,
    'a proprietary purpose',
    edit('<Cd>GDDS</Cd>', '<Prtry>goods</Prtry>'),
  ),
  refused(
    decimals,
    `${tx}/IntrBkSttlmAmt`,
    'an amount of six decimals',
    value('IntrBkSttlmAmt', '1000.000001'),
  ),
  refused(invalid, `${tx}/IntrBkSttlmAmt`, 'an amount with a sign', value('IntrBkSttlmAmt', '+5')),
  refused(
    invalid,
    `${tx}/IntrBkSttlmAmt`,
    'a thousand leading zeros',
    value('IntrBkSttlmAmt', `${'0'.repeat(1_000)}5`),
  ),
  refused(invalid, `${tx}/IntrBkSttlmAmt`, 'an amount without currency', edit(' Ccy="SGD">1000', '>1000')),
  refused(invalid, `${tx}/AgrdRate/PreAgrdXchgRate`, 'a rate of zero', value('PreAgrdXchgRate', '0.0')),
  refused(
    invalid,
    `${tx}/AddtlDtTm/AccptncDtTm`,
    'a time without zone',
    value('AccptncDtTm', '2026-11-21T04:00:00.000'),
  ),
  refused(
    invalid,
    `${tx}/AddtlDtTm/AccptncDtTm`,
    'no such day',
    value('AccptncDtTm', '2026-02-30T04:00:00Z'),
  ),
  refused(
    invalid,
    `${tx}/AddtlDtTm/AccptncDtTm`,
    'whitespace before a time, which libxml2 refuses by the official schema',
    value('AccptncDtTm', '\n2026-11-21T04:00:00.000Z'),
  ),
  refused(invalid, `${tx}/Cdtr/Nm`, 'a line break in a name', edit('Somchai Jaidee', 'Somchai&#10;Jaidee')),
  refused(
    invalid,
    `${tx}/Cdtr/Nm`,
    'text that turns its direction',
    edit('Somchai Jaidee', 'Somchai &#x202E;eediaJ'),
  ),
  refused(
    invalid,
    `${tx}/SttlmPrty`,
    'an element that the guideline does not use',
    edit('<AddtlDtTm>', '<SttlmPrty>HIGH</SttlmPrty><AddtlDtTm>'),
  ),
  refused(guideline, 'GrpHdr/NbOfTxs', 'two transactions announced', value('NbOfTxs', '2')),
  refused(guideline, `${tx}[2]`, 'two transactions', edit(/(<CdtTrfTxInf>[^]*<\/CdtTrfTxInf>)/, '$1$1')),
  refused(
    guideline,
    'GrpHdr/SttlmInf/SttlmMtd',
    'settlement by the instructing agent',
    value('SttlmMtd', 'INGA'),
  ),
  refused(guideline, `${tx}/PmtId/TxId`, 'an id that starts with a slash', value('TxId', '/TX-1')),
  refused(
    invalid,
    'GrpHdr',
    'a type chosen by the message, told where it stands (MSG-13)',
    edit(
      '<GrpHdr>',
      '<GrpHdr xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="TransferHeader">',
    ),
  ),
];

/** Valid by the schema, refused when it is read. */
export const refusedByReading: readonly RefusedMessage[] = [
  refused(zero, `${tx}/IntrBkSttlmAmt`, 'an amount of zero', value('IntrBkSttlmAmt', '0.00')),
  refused(
    { ...invalid, ruleId: 'MON-1' },
    `${tx}/AgrdRate/PreAgrdXchgRate`,
    'a rate of twelve digits as written',
    value('PreAgrdXchgRate', '25.0000000000'),
  ),
  refused(code, `${tx}/Purp/Cd`, 'a purpose outside its set', edit('GDDS', 'ZZZZ')),
];

/** Refused by reference data. */
export const refusedByReference: readonly RefusedMessage[] = [
  refused(currency, `${tx}/AgrdRate/UnitCcy`, 'a rate from another currency', value('UnitCcy', 'MYR')),
  refused(
    currency,
    `${tx}/ChrgsInf[1]/Amt`,
    'a source fee in another currency',
    edit('"SGD">1.00', '"MYR">1.00'),
  ),
  refused(
    charges,
    `${tx}/ChrgsInf[1]/Agt`,
    'a source fee for another agent',
    edit(/(<Amt Ccy="SGD">1.00<\/Amt>\s*<Agt>\s*<FinInstnId>\s*<BICFI>)LOTUSGS0/, '$1BANYSGS0'),
  ),
  refused(
    charges,
    `${tx}/ChrgsInf[2]/Agt`,
    'a destination fee for another agent',
    edit(/(<Amt Ccy="THB">100.00<\/Amt>\s*<Agt>\s*<FinInstnId>\s*<BICFI>)LOTUTHS0/, '$1BANYTHS0'),
  ),
];
