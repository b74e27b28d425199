// Breaks messages at random: bytes, elements, values, attributes, namespaces, encodings. Every run of a seed breaks the
// same ones.
import { pick } from '../xml/generate.ts';

type Random = () => number;
/** A way to break a text; the text itself where it finds nothing to break. */
type Mutation = (text: string, random: Random, other: string) => string;

const leafPattern = /<([A-Za-z]\w*)((?:\s[^<>]*)?)>([^<>]*)<\/\1>/g;
const tagPattern = /<\/?([A-Za-z]\w*)[^<>]*>/g;
const at = (text: string, random: Random) => Math.floor(random() * (text.length + 1));
const splice = (text: string, start: number, length: number, inserted: string) =>
  text.slice(0, start) + inserted + text.slice(start + length);

/** Values that parsers, schemas and rules stumble over. */
const values: readonly string[] = [
  '',
  ' ',
  '\n',
  '\u00A0',
  '\uFEFF',
  '\u202E',
  '\u200B',
  '\uFFFE',
  '\u{1F600}',
  '&amp;',
  '&#13;',
  '&#0;',
  '&#xD800;',
  '&nbsp;',
  '&',
  '<',
  '0',
  '0.0',
  '.5',
  '1e3',
  'NaN',
  '+5',
  '1,000',
  '0.000001',
  '99999999999999.99999',
  '999999999999999999',
  '0.12345678901',
  '25.0000000000',
  '9'.repeat(400),
  '0'.repeat(5_000),
  '2026-02-30T04:00:00Z',
  '2026-11-21T24:00:00Z',
  '2026-11-21T04:00:00',
  '2026-11-21T04:00:00+14:01',
  '2026-11-21T04:00:00.1234567891Z',
  '2026-11-21T12:00:00.000+08:00',
  '2026-11-21',
  '2026-11-21Z',
  '2026-13-01',
  '2025-02-29',
  '//',
  'A//B',
  'A/B',
  'a'.repeat(35),
  'a'.repeat(141),
  'SGD',
  'THB',
  'sgd',
  'SG',
  'TH',
  'GDDS',
  'ZZZZ',
  'SHAR',
  'HIGH',
  'CLRG',
  'Prtry',
  'LOTUSGS0',
  'LOTUTHS0',
  'NOBATHS0',
  '999900LOTUSGS0000022',
  'SGDFAST',
  '6f1f3a52-9d0c-4f7e-8a43-2f4b7a1c9e01',
  '6f1f3a52-9d0c-1f7e-8a43-2f4b7a1c9e01',
  'true',
  'false',
  'ACCC',
  'RJCT',
  'AC04',
  'DE89370400440532013000',
  '+65-81234567',
  '__proto__',
];

const bytes: readonly Mutation[] = [
  (text, random) => splice(text, at(text, random), 1, String.fromCharCode(Math.floor(random() * 0x250))),
  (text, random) => splice(text, at(text, random), Math.floor(random() * 20), ''),
  (text, random) => splice(text, at(text, random), 0, pick(random, values)),
  (text, random) => {
    const start = at(text, random);
    return splice(text, start, 0, text.slice(start, start + Math.floor(random() * 200)));
  },
  (text, random) => text.slice(0, at(text, random)),
  (text, random) =>
    splice(text, at(text, random), 0, pick(random, ['\0', '\x01', '\x7F', '\uFFFF', '\uD800'])),
  (text, random, other) => text.slice(0, at(text, random)) + other.slice(at(other, random)),
];

/** Applies an edit to one leaf element. */
function ofLeaf(
  edit: (leaf: RegExpExecArray, random: Random, leaves: readonly RegExpExecArray[]) => string,
): Mutation {
  return (text, random) => {
    const leaves = [...text.matchAll(leafPattern)];
    if (leaves.length === 0) return text;
    const leaf = pick(random, leaves);
    return splice(text, leaf.index, leaf[0].length, edit(leaf, random, leaves));
  };
}

/** Where an element that starts at a tag ends; undefined for end tags and elements that do not end. */
function elementAt(text: string, tag: RegExpExecArray): string | undefined {
  if (tag[0].startsWith('</') || tag[0].endsWith('/>')) return undefined;
  const name = tag[1] ?? '';
  let depth = 0;
  for (const one of text.slice(tag.index).matchAll(new RegExp(`<(/?)${name}(?=[\\s/>])[^<>]*>`, 'g'))) {
    if (one[0].endsWith('/>')) continue;
    depth += one[1] === '/' ? -1 : 1;
    if (depth === 0) return text.slice(tag.index, tag.index + one.index + one[0].length);
  }
  return undefined;
}

/** Applies an edit to one element, leaf or not. */
function ofElement(edit: (element: string, random: Random, other: string, name: string) => string): Mutation {
  return (text, random) => {
    const tags = [...text.matchAll(tagPattern)];
    if (tags.length === 0) return text;
    const tag = pick(random, tags);
    const element = elementAt(text, tag);
    if (element === undefined) return text;
    const other = elementAt(text, pick(random, tags)) ?? '';
    return splice(text, tag.index, element.length, edit(element, random, other, tag[1] ?? ''));
  };
}

const elements: readonly Mutation[] = [
  ofElement(() => ''),
  ofElement((element) => element + element),
  ofElement((element, random) => element.repeat(2 + Math.floor(random() * 12))),
  ofElement((element, _, other) => other + element),
  ofElement((_, __, other) => other),
  ofElement((element, _, __, name) => `<${name}>${element}</${name}>`),
  ofElement((element, random, _, name) => {
    const renamed = pick(random, [
      'Prtry',
      'Cd',
      'Id',
      'Nm',
      'Othr',
      'IBAN',
      'LEI',
      'BICFI',
      'SplmtryData',
      'x',
    ]);
    return element.replace(`<${name}`, `<${renamed}`).replace(new RegExp(`</${name}>$`), `</${renamed}>`);
  }),
  ofElement(
    (element, random) => `<${pick(random, ['SplmtryData', 'Unknown', 'PrvsInstgAgt1', 'a:b'])}/>${element}`,
  ),
  ofElement((_, __, ___, name) => `<${name}/>`),
  ofElement((element, random) => `${pick(random, values)}${element}`),
];

const leafValues: readonly Mutation[] = [
  ofLeaf(
    ([, name = '', attributes = ''], random) => `<${name}${attributes}>${pick(random, values)}</${name}>`,
  ),
  ofLeaf(([, name = '', attributes = ''], random, leaves) => {
    const [, , , text = ''] = pick(random, leaves);
    return `<${name}${attributes}>${text}</${name}>`;
  }),
  ofLeaf(([, name = '', attributes = '', text = ''], random) => {
    const start = at(text, random);
    return `<${name}${attributes}>${splice(text, start, Math.floor(random() * 3), pick(random, values))}</${name}>`;
  }),
  ofLeaf(([, name = '', attributes = '', text = ''], random) => {
    const pad = () => pick(random, ['', ' ', '\n\t', '\r\n', '\u00A0']);
    return `<${name}${attributes}>${pad()}${text}${pad()}</${name}>`;
  }),
  ofLeaf(([, name = '', attributes = '', text = ''], random) => {
    const changed = pick(random, [
      text.toLowerCase(),
      text.toUpperCase(),
      text.repeat(2),
      text.slice(0, -1),
      `${text}0`,
    ]);
    return `<${name}${attributes}>${changed}</${name}>`;
  }),
  ofLeaf(([, name = '', attributes = '', text = ''], random) => {
    const digit = String(Math.floor(random() * 10));
    return `<${name}${attributes}>${text.replace(/\d/, digit)}</${name}>`;
  }),
];

const attributes: readonly Mutation[] = [
  (text, random) =>
    text.replace(
      / Ccy="[^"]*"/,
      pick(random, ['', ' Ccy=""', ' Ccy="sgd"', ' Ccy="XXX"', ' Ccy=" SGD"', " Ccy='SGD'"]),
    ),
  (text, random) =>
    text.replaceAll(/ Ccy="SGD"/g, ` Ccy="${pick(random, ['JPY', 'IDR', 'MYR', 'EUR', 'THB', 'SGDX'])}"`),
  (text, random) => {
    const tags = [...text.matchAll(/<[A-Za-z]\w*(?=[\s>])/g)];
    if (tags.length === 0) return text;
    const tag = pick(random, tags);
    const attribute = pick(random, [
      ' x="1"',
      ' Ccy="SGD"',
      ' Ccy="SGD" Ccy="SGD"',
      ' xml:lang="en"',
      ' xml:space="preserve"',
      ' xmlns=""',
      ' xmlns:y="urn:y"',
      ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"',
      ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="Max35Text"',
      ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="urn:x http://127.0.0.1:1/x.xsd"',
      ` ${'a'.repeat(1_000)}="${'b'.repeat(1_000)}"`,
    ]);
    return splice(text, tag.index + tag[0].length, 0, attribute);
  },
];

const namespaces: readonly Mutation[] = [
  (text, random) =>
    text.replace(/(\.\d{3}\.\d{3}\.)\d\d"/, `$1${pick(random, ['01', '08', '12', '13', '14', '15', '99'])}"`),
  (text, random) =>
    text.replace(
      /tech:xsd:[a-z.]+\d{3}/,
      `tech:xsd:${pick(random, ['pacs.008', 'pacs.002', 'acmt.023', 'camt.056', 'head.001'])}`,
    ),
  (text) => text.replaceAll(/<(\/?)([A-Za-z])/g, '<$1p:$2').replace('xmlns=', 'xmlns:p='),
  (text) => text.replaceAll(/<(\/?)([A-Za-z])/g, '<$1p:$2'),
  (text) => text.replace(/ xmlns="[^"]*"/, ''),
  (text) => text.replace('<Document ', '<Document xmlns:z="urn:z" ').replace('<GrpHdr>', '<z:GrpHdr>'),
  (text) => text.replace(/ xmlns="([^"]*)"/, ' xmlns="$1 "'),
  (text) => text.replaceAll('Document', 'BizMsgEnvlp'),
];

const forms: readonly Mutation[] = [
  (text) => text.replaceAll('\n', '\r\n'),
  (text) => text.replaceAll(/>\s+</g, '><'),
  (text) => text.replace('<?xml version="1.0"', '<?xml version="1.1"'),
  (text, random) => text.replace('UTF-8', pick(random, ['utf-8', 'UTF-16', 'ISO-8859-1', 'US-ASCII', 'x'])),
  (text) => text.replace(/^<\?xml[^>]*>\s*/, ''),
  (text) => text.replace('?>', ' standalone="yes"?>'),
  (text, random) =>
    splice(text, at(text, random), 0, pick(random, ['<!-- -->', '<![CDATA[x]]>', '<?pi x?>', '<!--'])),
  (text) => text.replace('<Document', '<!DOCTYPE Document [<!ENTITY a "b">]><Document'),
  (text) => text.replace('<Document', '<!DOCTYPE Document SYSTEM "http://127.0.0.1:1/x.dtd"><Document'),
  (text) => `\n${text}`,
  (text) => `${text}${text}`,
  (text) => `${text}trailing`,
];

const kinds: readonly (readonly [weight: number, mutations: readonly Mutation[]])[] = [
  [15, bytes],
  [25, elements],
  [40, leafValues],
  [8, attributes],
  [5, namespaces],
  [7, forms],
];

function mutationFrom(random: Random): Mutation {
  let weight = random() * kinds.reduce((sum, [one]) => sum + one, 0);
  for (const [one, mutations] of kinds) {
    weight -= one;
    if (weight < 0) return pick(random, mutations);
  }
  return pick(random, leafValues);
}

/** The text as bytes; now and then not as UTF-8, or not quite. */
function encode(text: string, random: Random): Buffer {
  const utf8 = Buffer.from(text);
  if (random() < 0.96) return utf8;
  switch (Math.floor(random() * 7)) {
    case 0:
      return Buffer.from(`\uFEFF${text}`);
    case 1:
      return Buffer.from(`\uFEFF${text}`, 'utf16le');
    case 2:
      return Buffer.from(text, 'utf16le').swap16();
    case 3:
      return Buffer.from(text, 'latin1');
    case 4:
      return Buffer.concat([utf8, Buffer.from([0xc0, 0x80])]); // overlong
    case 5:
      return Buffer.concat([utf8.subarray(0, 200), Buffer.from([0xed, 0xa0, 0x80]), utf8.subarray(200)]); // surrogate
    default:
      utf8[Math.floor(random() * utf8.length)] = Math.floor(random() * 256);
      return utf8;
  }
}

/** The message broken in one to three places. @param other another message, to take parts of */
export function mutate(text: string, other: string, random: Random): Buffer {
  const places = random() < 0.7 ? 1 : 2 + Math.floor(random() * 2);
  let broken = text;
  for (let place = 0; place < places; place += 1) broken = mutationFrom(random)(broken, random, other);
  return encode(broken, random);
}
