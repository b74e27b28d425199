// A code outside its external code set is refused, whichever element it stands in (MSG-4).
import { describe, expect, test } from 'vitest';
import { readAcmt023 } from '../../core/iso20022/acmt023.ts';
import { readAcmt024 } from '../../core/iso20022/acmt024.ts';
import { messages } from '../../core/iso20022/messages.ts';
import { readPacs002 } from '../../core/iso20022/pacs002.ts';
import { readPacs008, type Reading } from '../../core/iso20022/pacs008.ts';
import type { XmlElement } from '../../core/iso20022/tree.ts';
import { lotus, readFixture, validTree } from './fixtures.ts';

const found = readFixture('acmt024', 'found.xml').toString();
const notRegistered = readFixture('acmt024', 'not-registered.xml').toString();
const proxy = readFixture('acmt023', 'proxy.xml').toString();
const rejected = readFixture('pacs002', 'rejected.xml').toString();
const readers = { pacs008: readPacs008, acmt023: readAcmt023, acmt024: readAcmt024, pacs002: readPacs002 };

/** A message with another text in one place. */
const edit = (text: string, from: string | RegExp, to: string) => {
  const edited = text.replace(from, to);
  if (edited === text) throw new Error(`nothing to replace: ${String(from)}`);
  return edited;
};
/** A message with something more before a tag. */
const before = (text: string, tag: string, more: string) => edit(text, tag, `${more}${tag}`);
const codeIn = (text: string, parent: string, code: string) =>
  edit(text, new RegExp(`(<${parent}>\\s*<Cd>)[^<]*`), `$1${code}`);

interface Case {
  readonly name: keyof typeof readers;
  readonly path: string;
  readonly text: (code: string) => string;
  readonly good: string;
}

const tx = 'CdtTrfTxInf';
const account = '6600000001</Id>';
const member = (code: string) =>
  `<ClrSysMmbId><ClrSysId><Cd>${code}</Cd></ClrSysId><MmbId>1</MmbId></ClrSysMmbId>`;
const person = (code: string) =>
  `<Id><PrvtId><Othr><Id>1</Id><SchmeNm><Cd>${code}</Cd></SchmeNm></Othr></PrvtId></Id>`;
const reference = (code: string) =>
  `<Strd><CdtrRefInf><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp></CdtrRefInf></Strd>`;
const cases: readonly Case[] = [
  { name: 'pacs008', path: `${tx}/Purp/Cd`, text: (code) => codeIn(lotus, 'Purp', code), good: 'BFWD' },
  {
    name: 'pacs008',
    path: `${tx}/PmtTpInf/CtgyPurp/Cd`,
    text: (code) => codeIn(lotus, 'CtgyPurp', code),
    good: 'SALA',
  },
  {
    name: 'pacs008',
    path: `${tx}/PmtTpInf/SvcLvl/Cd`,
    text: (code) => before(lotus, '<CtgyPurp>', `<SvcLvl><Cd>${code}</Cd></SvcLvl>`),
    good: 'G001',
  },
  {
    name: 'pacs008',
    path: `${tx}/PmtTpInf/LclInstrm/Cd`,
    text: (code) => before(lotus, '<CtgyPurp>', `<LclInstrm><Cd>${code}</Cd></LclInstrm>`),
    good: 'INST',
  },
  {
    name: 'pacs008',
    path: `${tx}/CdtrAcct/Id/Othr/SchmeNm/Cd`,
    text: (code) => edit(lotus, account, `${account}<SchmeNm><Cd>${code}</Cd></SchmeNm>`),
    good: 'BBAN',
  },
  {
    name: 'pacs008',
    path: `${tx}/InstrForCdtrAgt/Cd`,
    text: (code) => before(lotus, '<Purp>', `<InstrForCdtrAgt><Cd>${code}</Cd></InstrForCdtrAgt>`),
    good: 'HOLD',
  },
  {
    name: 'pacs008',
    path: `${tx}/InstgAgt/FinInstnId/ClrSysMmbId/ClrSysId/Cd`,
    text: (code) => edit(lotus, /(<InstgAgt>\s*<FinInstnId>\s*<BICFI>[^<]*<\/BICFI>)/, `$1${member(code)}`),
    good: 'SGIBG',
  },
  {
    name: 'pacs008',
    path: `${tx}/Cdtr/Id/PrvtId/Othr/SchmeNm/Cd`,
    text: (code) =>
      edit(lotus, /(<Nm>Somchai Jaidee<\/Nm>(?:\s*<PstlAdr>[^]*?<\/PstlAdr>)?)/, `$1${person(code)}`),
    good: 'NIDN',
  },
  {
    name: 'pacs008',
    path: `${tx}/RmtInf/Strd/CdtrRefInf/Tp/CdOrPrtry/Cd`,
    text: (code) => before(lotus, '</RmtInf>', reference(code)),
    good: 'SCOR',
  },
  {
    name: 'acmt023',
    path: 'Vrfctn/PtyAndAcctId/Acct/Prxy/Tp/Cd',
    text: (code) => codeIn(proxy, 'Tp', code),
    good: 'EMAL',
  },
  {
    name: 'acmt024',
    path: 'Rpt/UpdtdPtyAndAcctId/Acct/Tp/Cd',
    text: (code) => before(found, '<Nm>S. JAIDEE', `<Tp><Cd>${code}</Cd></Tp>`),
    good: 'SVGS',
  },
  {
    name: 'pacs002',
    path: 'TxInfAndSts/StsRsnInf/Rsn/Cd',
    text: (code) => codeIn(rejected, 'Rsn', code),
    good: 'AC01',
  },
];

describe('a code outside its set is refused with FF01, where it stands (MSG-4)', () => {
  const read = async (name: keyof typeof readers, text: string) => {
    const reader: (document: XmlElement) => Reading<unknown> = readers[name];
    return reader(await validTree(name, text));
  };

  test.each(cases)('$name $path', async ({ name, path, text, good }) => {
    expect(await read(name, text(good))).toMatchObject({ ok: true });
    expect(await read(name, text('ZZZZ'))).toMatchObject({
      ok: false,
      rejection: {
        key: 'code-unknown',
        isoCode: 'FF01',
        ruleId: 'MSG-4',
        xpath: `/Document/${messages[name].messageElement}/${path}`,
      },
    });
  });

  test('a reason of a directory passes, whatever it is (RES-4)', async () => {
    const reason = codeIn(notRegistered, 'Rsn', 'Z9');
    expect(await read('acmt024', reason)).toMatchObject({ ok: true, value: { reasonCode: 'Z9' } });
  });
});
