// A scheme's own usage guideline is checked when it is loaded: what is looser than our rules can bear, or what would not
// pass, is named, and the process does not start (MSG-8, MSG-9).
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openGuideline, type Guideline } from '../../xml/guideline.ts';
import { createLibxml2Engine } from '../../xml/libxml2.ts';
import { root } from '../docs/documents.ts';

const example = join(root, 'docs/how-to/example-guideline');
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

const files = ['guideline.json', schema, 'examples/pacs.008.001.13.xml'];

it('takes files with a byte order mark, and with line ends of another system', () => {
  const folder = changed('guideline.json', '"leg"', '"leg" ');
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8');
    writeFileSync(join(folder, file), `\uFEFF${text.replaceAll('\n', '\r\n')}`);
  }
  openGuideline({ directory: folder });
});

it.each(files)('%s in another encoding is named', (file) => {
  const folder = changed('guideline.json', '"leg"', '"leg" ');
  const text = readFileSync(join(folder, file), 'utf8').replace('UTF-8', 'UTF-16');
  writeFileSync(join(folder, file), Buffer.from(`\uFEFF${text}`, 'utf16le'));
  expect(faultsOf(folder)).toMatch(new RegExp(`${file}.*it is not UTF-8: save it in that encoding`));
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

it('takes comments in a schema, and judges by it all the same', async () => {
  const directory = changed(
    schema,
    '<xs:element name="Document"',
    '<!-- ours --><xs:element name="Document"',
  );
  const engine = createLibxml2Engine({ guideline: openGuideline({ directory }) });
  const parsed = engine.parse(readFileSync(join(example, 'examples/pacs.008.001.13.xml')), ['pacs008']);
  expect(parsed.ok && (await parsed.value.validate())).toEqual([]);
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
      'there may be two of what they read once',
      schema,
      '<xs:element name="CdtTrfTxInf" type="Transfer"',
      '<xs:element name="CdtTrfTxInf" type="Transfer" maxOccurs="2"',
      /CdtTrfTxInf: it may come more than 1 times/,
    ],
    [
      'a value may be one that they do not know',
      schema,
      /<xs:enumeration value="SHAR"\/>/,
      '<xs:enumeration value="SHAR"/><xs:enumeration value="OUR"/>',
      /CdtTrfTxInf\/ChrgBr: xs:enumeration "OUR" is not as strict as ours/,
    ],
    [
      'an amount may be negative',
      schema,
      /(<xs:simpleType name="AmountValue">)[^]*?<\/xs:simpleType>/,
      '$1<xs:restriction base="xs:decimal"/></xs:simpleType>',
      /IntrBkSttlmAmt: its type must have xs:minInclusive, as in ours/,
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
      'nobody says what becomes of an element of GrpHdr',
      'guideline.json',
      '"GrpHdr/InstgAgt": "leg",',
      '',
      /say what becomes of GrpHdr\/InstgAgt/,
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
      'a rule is about what is not there',
      'guideline.json',
      '"GrpHdr/InstgAgt": "leg",',
      '"GrpHdr/InstgAgt": "leg", "GrpHdr/CtrlSum": "leave-out",',
      /the schema has no GrpHdr\/CtrlSum/,
    ],
    ['it is no JSON', 'guideline.json', '{', '', /guideline\.json: Unexpected|guideline\.json: .*JSON/],
    [
      'a setting is misspelt',
      'guideline.json',
      '"elements"',
      '"element"',
      /element is not known; only elements is/,
    ],
    [
      'priority may stand elsewhere',
      schema,
      '<xs:element name="SttlmInf" type="Settlement"/>',
      '<xs:element name="SttlmInf" type="Settlement"/><xs:element name="PmtTpInf" type="PaymentType" minOccurs="0"/>',
      /GrpHdr\/PmtTpInf: it cannot be used/,
    ],
    [
      'an amount of one leg would pass to the other',
      schema,
      '<xs:element name="SttlmInf" type="Settlement"/>',
      '<xs:element name="TtlIntrBkSttlmAmt" type="Amount" minOccurs="0"/><xs:element name="SttlmInf" type="Settlement"/>',
      /GrpHdr\/TtlIntrBkSttlmAmt would not be true of the other leg/,
    ],
    [
      'it uses what we do not read',
      schema,
      '<xs:element name="Nb" type="Text35" minOccurs="0"/>',
      '<xs:any minOccurs="0"/>',
      /xs:any within xs:sequence is not known here/,
    ],
    [
      'an element may be without its value',
      schema,
      uetr,
      `${uetr} nillable="true"`,
      /UETR: nillable of xs:element is not known here/,
    ],
    [
      'an empty element stands for a value',
      schema,
      uetr,
      `${uetr} default="6f1f3a52-9d0c-4f7e-8a43-2f4b7a1c9e01"`,
      /UETR: default of xs:element is not known here/,
    ],
    [
      'text may stand between elements',
      schema,
      '<xs:complexType name="Transfer">',
      '<xs:complexType name="Transfer" mixed="true">',
      /Transfer: mixed of xs:complexType is not known here/,
    ],
    [
      'a group of elements may come again',
      schema,
      /(<xs:complexType name="Transfer">[^]*?)<xs:sequence>/,
      '$1<xs:sequence maxOccurs="2">',
      /Transfer: maxOccurs of xs:sequence is not known here/,
    ],
    [
      'an amount has another attribute',
      schema,
      /(<xs:attribute name="Ccy"[^>]*>)/,
      '$1<xs:attribute name="Rnd" type="Text16"/>',
      /the only attribute is Ccy/,
    ],
    [
      'an amount may have no currency',
      schema,
      /(<xs:attribute name="Ccy" type="\w+" )use="required"/,
      '$1use="optional"',
      /the only attribute is Ccy, of type Currency, and it is required/,
    ],
    [
      'spaces at the ends of a value do not count',
      schema,
      /(<xs:simpleType name="Uuid4">[^]*?base=")xs:string/,
      '$1xs:token',
      /Uuid4: xs:token: a type is made of one of string/,
    ],
    [
      'spaces at the ends of a value may be there',
      schema,
      /(<xs:simpleType name="Uuid4">[^]*?<xs:pattern value=")([^"]*)/,
      '$1 ?$2',
      /PmtId\/UETR: xs:pattern " .*is not as strict as ours/,
    ],
    [
      'elements are of no namespace',
      schema,
      ' elementFormDefault="qualified"',
      '',
      /elementFormDefault="qualified" is missing/,
    ],
    [
      'an element has two places',
      schema,
      /(<xs:element name="PstCd"[^>]*\/>)(\s*<xs:element name="TwnNm"[^>]*\/>)/,
      '$1$2$1',
      /PstCd stands at one place of a sequence/,
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

  it('what becomes of its elements is not said as an object', () => {
    const folder = changed('guideline.json', /\{[^]*\}/, '{"elements": null}');
    expect(faultsOf(folder)).toMatch(/guideline\.json: elements is an object/);
  });

  it.each(['[]', '["pass"]', '"pass"'])('they are said as %s', (said) => {
    const folder = changed('guideline.json', /\{[^]*\}/, `{"elements": ${said}}`);
    expect(faultsOf(folder)).toMatch(/guideline\.json: elements is an object/);
  });

  it('a rule is about what no schema could have', () => {
    const folder = changed(
      'guideline.json',
      '"GrpHdr',
      '"__proto__": "pass", "constructor": "pass", "GrpHdr',
    );
    expect(faultsOf(folder)).toMatch(/the schema has no __proto__[^]*the schema has no constructor/);
  });

  it('there is no such directory', () => {
    expect(faultsOf(join(example, 'nowhere'))).toMatch(/there is no schema, such as pacs\.008\.001\.13\.xsd/);
  });
});
