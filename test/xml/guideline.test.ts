// A scheme's own usage guideline is checked at the start. The process does not start with one that is looser than
// our rules can bear.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openGuideline, type Guideline } from '../../xml/guideline.ts';
import { createLibxml2Engine } from '../../xml/libxml2.ts';
import { root } from '../docs/documents.ts';
import { buildExampleGuideline } from '../harness/example-guideline.ts';

const example = buildExampleGuideline();
const schema = 'pacs.008.001.13.xsd';
const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

/** A copy of the example, with one thing changed. */
function changed(file: string, from: string | RegExp, to: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-guideline-'));
  folders.push(folder);
  cpSync(example, folder, { recursive: true });
  const before = readFileSync(join(folder, file), 'utf8');
  const after = before.replace(from, to);
  expect(after, `${file} has ${String(from)}`).not.toBe(before);
  writeFileSync(join(folder, file), after);
  return folder;
}

function faultsOf(folder: string): string {
  let opened: Guideline;
  try {
    opened = openGuideline({ directory: folder });
  } catch (error) {
    return String(error);
  }
  return `it is taken: ${opened.forwarding.headerOrder.join()}`;
}

it('takes the example, which carries invoices, addresses of agents, and agents in GrpHdr', () => {
  const { forwarding } = openGuideline({ directory: example });
  expect(forwarding.headerOrder).toEqual(['MsgId', 'CreDtTm', 'NbOfTxs', 'SttlmInf', 'InstgAgt', 'InstdAgt']);
});

it('takes one that is stricter than ours', () => {
  openGuideline({ directory: changed(schema, '<xs:enumeration value="HIGH"/>', '') });
});

it('judges messages by it, and all others by ours', async () => {
  const engine = createLibxml2Engine({ guideline: openGuideline({ directory: example }) });
  const wide = readFileSync(join(example, 'examples/pacs.008.001.13.xml'));
  const judge = async (by: typeof engine) => {
    const parsed = by.parse(wide, ['pacs008']);
    return parsed.ok ? (await parsed.value.validate()).map(({ xpath }) => xpath) : [parsed.refusal.detail];
  };
  expect(await judge(engine)).toEqual([]);
  const strd = '/Document/FIToFICstmrCdtTrf/CdtTrfTxInf/RmtInf/Strd';
  expect(await judge(createLibxml2Engine())).toEqual(
    expect.arrayContaining(['/Document/FIToFICstmrCdtTrf/GrpHdr/InstgAgt', `${strd}/RfrdDocInf[1]`]),
  );
});

const uetr = '<xs:element name="UETR" type="Uuid4"';
describe('is refused where our rules would not hold', () => {
  it.each<readonly [what: string, file: string, from: string | RegExp, to: string, fault: RegExp]>([
    [
      'an element that they read may be missing',
      schema,
      uetr,
      `${uetr} minOccurs="0"`,
      /CdtTrfTxInf\/PmtId\/UETR: it may be missing/,
    ],
    [
      'a value may be one that they do not know',
      schema,
      /<xs:enumeration value="SHAR"\/>/,
      '<xs:enumeration value="SHAR"/><xs:enumeration value="OUR"/>',
      /CdtTrfTxInf\/ChrgBr: xs:enumeration "OUR" is not as strict as ours/,
    ],
    [
      'a choice has what they do not know',
      schema,
      '<xs:element name="IBAN" ',
      '<xs:element name="Alias" type="Text35"/><xs:element name="IBAN" ',
      /DbtrAcct\/Id\/Alias: our rules do not know this choice/,
    ],
    [
      'a forwarded message would not be valid',
      schema,
      /(<xs:simpleType name="Lei">[^]*?<xs:restriction base="xs:string">)/,
      '$1<xs:enumeration value="529900T8BM49AURSDO55"/>',
      /the forwarded message with agents by lei is not valid/,
    ],
    [
      'what they set is not there',
      schema,
      /<xs:element name="PrvsInstgAgt1" [^]*?<\/xs:element>/,
      '',
      /CdtTrfTxInf\/PrvsInstgAgt1 is needed, and the schema has no such element/,
    ],
    [
      'an agent of one leg would pass to the other',
      'guideline.json',
      '"GrpHdr/InstgAgt": "leg"',
      '"GrpHdr/InstgAgt": "pass"',
      /names the agents of one leg/,
    ],
    [
      'a rule of ours is overruled',
      'guideline.json',
      '"GrpHdr/InstgAgt": "leg",',
      '"GrpHdr/InstgAgt": "leg", "CdtTrfTxInf/PmtId": "leave-out",',
      /what becomes of CdtTrfTxInf\/PmtId is a rule of Isthmus/,
    ],
    [
      'an amount of one leg would pass to the other',
      schema,
      '<xs:element name="SttlmInf" type="Settlement"/>',
      '<xs:element name="TtlIntrBkSttlmAmt" type="Amount" minOccurs="0"/><xs:element name="SttlmInf" type="Settlement"/>',
      /GrpHdr\/TtlIntrBkSttlmAmt would not be true of the other leg/,
    ],
    [
      'spaces at the ends of a value may be there',
      schema,
      /(<xs:simpleType name="Uuid4">[^]*?<xs:pattern value=")([^"]*)/,
      '$1 ?$2',
      /PmtId\/UETR: xs:pattern " .*is not as strict as ours/,
    ],
    ['a type is missing', schema, 'type="DocumentType"', 'type="Nowhere"', /it is no schema: .*Nowhere/],
    [
      'an example is not valid',
      'examples/pacs.008.001.13.xml',
      '<Cd>CINV</Cd>',
      '<Cd>XXXX</Cd>',
      /examples\/pacs\.008\.001\.13\.xml: it is not valid/,
    ],
  ])('%s', (_, file, from, to, fault) => {
    expect(faultsOf(changed(file, from, to))).toMatch(fault);
  });

  it('it replaces a message that is ours to make', () => {
    const folder = changed('guideline.json', '"leg"', '"leg"  ');
    cpSync(join(root, 'schemas/fxtr.017.001.06.xsd'), join(folder, 'fxtr.017.001.06.xsd'));
    expect(faultsOf(folder)).toMatch(
      /fxtr\.017\.001\.06\.xsd: only pacs\.008\.001\.13\.xsd, .* can be replaced/,
    );
  });

  it('there is no such directory', () => {
    expect(faultsOf(join(example, 'nowhere'))).toMatch(/there is no schema, such as pacs\.008\.001\.13\.xsd/);
  });
});
