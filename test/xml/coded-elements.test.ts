// Every coded element of our schemas is checked against its codes: by the schema, against an external code set, or
// passed by a rule. The official schemas are compared where they lie beside the project.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { codingOf } from '../../core/iso20022/coded-elements.ts';
import { codeSets, isoNames, type CodeSetName } from '../../core/iso20022/external-codes.ts';
import { readAcmt023 } from '../../core/iso20022/acmt023.ts';
import { readAcmt024 } from '../../core/iso20022/acmt024.ts';
import { messages, type MessageName } from '../../core/iso20022/messages.ts';
import { readPacs002 } from '../../core/iso20022/pacs002.ts';
import { readPacs008 } from '../../core/iso20022/pacs008.ts';
import type { Rejection } from '../../core/rejections/rejection.ts';
import type { Result } from '../../core/result.ts';
import type { XmlElement } from '../../core/iso20022/tree.ts';
import type { SchemaModel } from '../../xml/schema-model.ts';
import { lotus, officialFolder, readFixture, validTree } from './fixtures.ts';
import { loadModel, officialTypes } from './generate.ts';
import { edit } from '../harness/patches.ts';

const codeSetFolder = fileURLToPath(new URL('../../../shared/iso20022/codesets/', import.meta.url));
const present = existsSync(codeSetFolder) && existsSync(officialFolder);
const note = present ? '' : ' (NOT RUN: there are no official schemas and code sets beside the project)';
if (!present)
  process.stderr.write('\n*** NOT RUN: our code sets against the published ones: they are not there. ***\n');

const names = Object.keys(messages) as MessageName[];

interface Leaf {
  /** Element names, from the message element on. */
  readonly path: readonly string[];
  readonly type: string;
}

function leavesOf(model: SchemaModel, typeName: string, path: readonly string[] = []): readonly Leaf[] {
  const type = model.complexTypes.get(typeName);
  if (type === undefined) return [{ path, type: typeName }];
  const particles = new Map(type.options.flat().map((one) => [one.name, one.type]));
  return [...particles].flatMap(([name, inner]) => leavesOf(model, inner, [...path, name]));
}

const isEnumerated = (model: SchemaModel, type: string) =>
  model.simpleTypes.get(type)?.facets.some(({ name }) => name === 'enumeration') === true;
const isCoded = (model: SchemaModel, { path, type }: Leaf) =>
  path.at(-1) === 'Cd' ||
  type.endsWith('Code') ||
  ['Currency', 'Country'].includes(type) ||
  isEnumerated(model, type);

describe.each(names)('%s', (name) => {
  const model = loadModel(name);
  const leaves = leavesOf(model, 'Document');
  const coded = leaves.filter((one) => isCoded(model, one));

  test('every coded element is classified', () => {
    expect(coded.length).toBeGreaterThan(name === 'fxtr017' ? 2 : 5);
    const open = coded.filter(({ path, type }) => !isEnumerated(model, type) && codingOf(path) === undefined);
    expect(open.map(({ path }) => path.join('/'))).toEqual([]);
  });

  test.skipIf(!present)(
    `every element whose codes ISO 20022 publishes is held against that very set${note}`,
    () => {
      const official = officialTypes(name);
      const wrong = leaves.flatMap(({ path, type }) => {
        const isoName = official.get(path.join('/')) ?? '';
        if (!isoName.startsWith('External') || isEnumerated(model, type)) return [];
        const coding = codingOf(path);
        const held = coding !== undefined && 'set' in coding ? isoNames[coding.set] : coding?.passedBy;
        const passed: Readonly<Record<string, string>> = {
          ExternalCashClearingSystem1Code: 'MSG-5',
          ExternalVerificationReason1Code: 'RES-4',
          ExternalFinancialInstitutionIdentification1Code: 'MSG-9',
        };
        return held === (passed[isoName] ?? isoName)
          ? []
          : [`${path.join('/')}: ${isoName}, not ${held ?? 'open'}`];
      });
      expect(wrong).toEqual([]);
    },
  );
});

describe('the code sets', () => {
  const files: Readonly<Partial<Record<CodeSetName, string>>> = {
    purpose: 'purpose',
    categoryPurpose: 'category_purpose',
    serviceLevel: 'service_level',
    localInstrument: 'local_instrument',
    proxyType: 'proxy_account_type',
    memberSystem: 'clearing_system_identification',
    statusReason: 'status_reason',
  };
  test.skipIf(!present).each(Object.entries(files) as [CodeSetName, string][])(
    `%s is what is published${note}`,
    (set, file) => {
      const text = readFileSync(join(codeSetFolder, `external_${file}_code.json`), 'utf8');
      const { name, codes } = JSON.parse(text) as { name: string; codes: object };
      expect(isoNames[set]).toBe(name);
      expect([...codeSets().codes[set]].toSorted()).toEqual(Object.keys(codes).toSorted());
    },
  );

  test.each(Object.entries(codeSets().codes))('%s: every code has its form', (_, codes) => {
    expect(codes.size).toBeGreaterThan(3);
    expect([...codes].filter((one) => !/^[A-Z0-9]{1,35}$/.test(one))).toEqual([]);
  });
});

const found = readFixture('acmt024', 'found.xml').toString();
const notRegistered = readFixture('acmt024', 'not-registered.xml').toString();
const proxy = readFixture('acmt023', 'proxy.xml').toString();
const rejected = readFixture('pacs002', 'rejected.xml').toString();
const readers = { pacs008: readPacs008, acmt023: readAcmt023, acmt024: readAcmt024, pacs002: readPacs002 };

/** Inserts text before a tag. */
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
const member = (code: string) =>
  `<ClrSysMmbId><ClrSysId><Cd>${code}</Cd></ClrSysId><MmbId>1</MmbId></ClrSysMmbId>`;
const reference = (code: string) =>
  `<Strd><CdtrRefInf><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp></CdtrRefInf></Strd>`;
const cases: readonly Case[] = [
  { name: 'pacs008', path: `${tx}/Purp/Cd`, text: (code) => codeIn(lotus, 'Purp', code), good: 'BFWD' },
  {
    name: 'pacs008',
    path: `${tx}/InstgAgt/FinInstnId/ClrSysMmbId/ClrSysId/Cd`,
    text: (code) => edit(lotus, /(<InstgAgt>\s*<FinInstnId>\s*<BICFI>[^<]*<\/BICFI>)/, `$1${member(code)}`),
    good: 'SGIBG',
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
    const reader: (document: XmlElement) => Result<unknown, Rejection> = readers[name];
    return reader(await validTree(name, text));
  };

  test.each(cases)('$name $path', async ({ name, path, text, good }) => {
    expect(await read(name, text(good))).toMatchObject({ ok: true });
    expect(await read(name, text('ZZZZ'))).toMatchObject({
      ok: false,
      refusal: {
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
