// Bodies of up to 256 KiB that are made to keep the parser or the schema busy. None may take seconds, because XML
// is parsed in the process itself, without threads.
import { expect, test } from 'vitest';
import { readMessageKey } from '../../core/iso20022/references.ts';
import { readPacs008 } from '../../core/iso20022/pacs008.ts';
import { libxml2, lotus } from './fixtures.ts';

const limit = 256 * 1024;
const room = limit - lotus.length - 64; // bytes that an edit of the base message may add
const longestMs = 5_000; // milliseconds where nothing else runs; what is attacked for would take minutes

const fill = (piece: string) => piece.repeat(Math.floor(room / Buffer.byteLength(piece)));
const value = (name: string, text: string) =>
  lotus.replace(new RegExp(`(<${name}[^>]*>)[^<]*(</${name}>)`), `$1${text}$2`);
const before = (tag: string, text: string) => lotus.replace(tag, `${text}${tag}`);
const inGroup = (attributes: string) => lotus.replace('<GrpHdr>', `<GrpHdr ${attributes}>`);
const numbered = (count: number, attribute: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => attribute(index)).join(' ');

const bodies: readonly (readonly [string, string])[] = [
  ['a name without end', value('Nm', fill('x'))],
  ['a name of spaces and a tab at its end', value('Nm', `${fill(' ').slice(8)}&#9;`)],
  ['an id that fails at its last character', value('EndToEndId', `${fill('a b/').slice(8)}é`)],
  ['a UETR without end', value('UETR', fill('a'))],
  ['an amount of leading zeros', value('IntrBkSttlmAmt', fill('0'))],
  ['a time of fractions', value('CreDtTm', `2026-11-21T04:00:00.${fill('0').slice(32)}Z`)],
  ['unknown elements', before('<GrpHdr>', fill('<W/>'))],
  ['many faults', before('<RmtInf>', fill('<RgltryRptg><Dtls><Amt Ccy="x">+1</Amt></Dtls></RgltryRptg>'))],
  ['transactions', lotus.replace(/(<CdtTrfTxInf>[^]*<\/CdtTrfTxInf>)/, '$1'.repeat(60))],
  ['attributes of a prefix', inGroup(`xmlns:x="urn:x" ${numbered(14_000, (index) => `x:a${index}=""`)}`)],
  ['one name of 40,000 characters', `<${'x'.repeat(40_000)}/>`],
  ['elements without end', fill('<a>')],
  ['comments without end', fill('<!--')],
  ['CDATA sections', value('Nm', fill('<![CDATA[]]>'))],
  ['prefixes without end, of a foreign root', `<a ${fill('xmlns:')}/>`],
  ['quotes without end', `<!-- --><a ${fill('b="')}`],
  [
    'declarations in every element',
    lotus.replace(
      '<GrpHdr>',
      `<GrpHdr ${numbered(3_000, (index) => `xmlns:a${index}="urn:a"`)}>${'<x xmlns:y="urn:y"/>'.repeat(6_000)}`,
    ),
  ],
  ['elements as deep as the parser goes', before('<RmtInf>', '<a>'.repeat(240) + '</a>'.repeat(240))],
];

/** Pieces that may confuse a parser or a pattern, and places for them. */
const pieces = ['<a', '<a=', '<a:', '<', '=', '"', '>', 'a="b"', '<!--', '<?', '<![CDATA[', ']]>', ' xmlns'];
const places: readonly (readonly [string, (text: string) => string])[] = [
  ['alone', (text) => text],
  ['before a message', (text) => `${text.slice(0, room)}${lotus}`],
  ['before its root element', (text) => lotus.replace('<Document', () => `${text}<Document`)],
  ['in the name of its root element', (text) => lotus.replace('<Document', () => `<Document${text}`)],
  ['in its root element', (text) => lotus.replace('<Document', () => `<Document ${text}`)],
  ['in a value', (text) => value('EndToEndId', text.replaceAll('$', '$$'))],
];
const shortMs = 250; // a few milliseconds on an idle machine

test.each(places)('whatever is repeated %s keeps no process for a quarter of a second', (_, within) => {
  for (const piece of pieces) {
    const bytes = Buffer.from(within(fill(piece)));
    const attempts = Array.from({ length: 3 }, () => {
      const start = performance.now();
      const parsed = libxml2.parse(bytes, ['pacs008']);
      if (parsed.ok) parsed.value.dispose();
      return performance.now() - start;
    });
    expect(Math.min(...attempts), piece).toBeLessThan(shortMs);
  }
});

test.each(bodies)('%s: refused, and soon', async (_, text) => {
  const bytes = Buffer.from(text);
  expect(bytes.length).toBeLessThanOrEqual(limit);
  const start = performance.now();
  const parsed = libxml2.parse(bytes, ['pacs008']);
  let isRefused = !parsed.ok;
  if (parsed.ok) {
    const key = readMessageKey('pacs008', parsed.value.document());
    const violations = await parsed.value.validate();
    isRefused = !key.ok || violations.length > 0 || !readPacs008(parsed.value.document()).ok;
    parsed.value.dispose();
  }
  expect(isRefused).toBe(true);
  expect(performance.now() - start).toBeLessThan(longestMs);
});
