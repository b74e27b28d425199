// The refusal of a body that is no message names everything that is wrong with it, in our own words.
import { describe, expect, test } from 'vitest';
import type { MessageName } from '../../core/iso20022/messages.ts';
import { plainAnswer } from '../../xml/intake.ts';
import { libxml2, lotus } from './fixtures.ts';

const wanted = 'urn:iso:std:iso:20022:tech:xsd:pacs.008.001.13';
const body = lotus.slice(lotus.indexOf('<Document'));
const older = (text: string) => text.replaceAll('pacs.008.001.13', 'pacs.008.001.08');

function faultOf(text: string | Buffer, expected: readonly MessageName[] = ['pacs008']) {
  const parsed = libxml2.parse(Buffer.from(text), expected);
  if (parsed.ok) {
    parsed.value.dispose();
    throw new Error('taken');
  }
  expect(parsed.refusal.detail).toMatch(/^[ -~]+$/);
  return parsed.refusal;
}

const namespace = `the namespace of the root element must be ${wanted}`;
const alone =
  'the message is wrapped: send its Document alone, as the root element, without a business application header or envelope (MSG-12)';

describe('everything that is wrong with a body is told at once', () => {
  test.each([
    ['a blank line before the declaration', `\n${lotus}`, 'an XML declaration must come first (line 2)'],
    ['nothing', '', 'the body is empty'],
    [
      'a comment, a CDATA section, an instruction',
      lotus.replace('Somchai Jaidee', '<!-- <?x?> --><![CDATA[<!-- -->]]><?php x?>'),
      'comments are not allowed (line 129); CDATA sections are not allowed (line 129); processing instructions are not allowed (line 129)',
    ],
    [
      'a second declaration',
      `${lotus}${lotus}`,
      `an XML declaration must come first (line ${lotus.split('\n').length})`,
    ],
    [
      'a DOCTYPE, whose inside is not looked at',
      `<!DOCTYPE Document [<!ENTITY a "b"><!-- -->]>${body}`,
      'a document type declaration is not allowed (line 1)',
    ],
    ['an older version (MSG-1)', older(lotus), `${namespace}, not of pacs.008.001.08`],
    [
      'more elements than any message needs (SEC-7)',
      lotus.replace('<GrpHdr>', `<GrpHdr>${'<a/>'.repeat(5_000)}`),
      'more than 5,000 elements',
    ],
    [
      'more attributes than any message needs (SEC-7)',
      lotus.replace(
        '<GrpHdr>',
        `<GrpHdr ${Array.from({ length: 5_000 }, (_, index) => `a${index} = ""`).join(' ')}>`,
      ),
      'more than 5,000 attributes (equals signs)',
    ],
  ])('%s', (_, text, detail) => {
    expect(faultOf(text).detail).toBe(detail);
  });

  test.each([
    ['elements', '<a></a>'.repeat(4_500)],
    ['elements, and equals signs in values', `${'<a></a>'.repeat(4_500)}<a>${'=/'.repeat(5_001)}</a>`],
  ])('as many %s as all that any message may have are let through', (_, inside) => {
    const parsed = libxml2.parse(Buffer.from(lotus.replace('<GrpHdr>', `<GrpHdr>${inside}`)), ['pacs008']);
    expect(parsed.ok).toBe(true);
    if (parsed.ok) parsed.value.dispose();
  });
});

describe('what comes wrapped is told so (MSG-12)', () => {
  const header = '<AppHdr xmlns="urn:iso:std:iso:20022:tech:xsd:head.001.001.02"><BizSvc>x</BizSvc></AppHdr>';
  test.each([
    ['an envelope', `<Envelope>${header}${body}</Envelope>`, alone],
    [
      'SOAP',
      `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${body}</s:Body></s:Envelope>`,
      alone,
    ],
  ])('%s', (_, text, detail) => {
    expect(faultOf(text)).toMatchObject({ detail, ruleId: 'MSG-12' });
  });
});

describe('a Document in no namespace is told so, and not called wrapped (MSG-13)', () => {
  const bare = `the root element Document is in no namespace: it must be in ${wanted}`;
  const declaration = ` xmlns="${wanted}"`;
  test.each([['none at all', body.replace(declaration, '')]])('%s', (_, text) => {
    const { code, detail } = faultOf(text);
    expect([code, detail]).toEqual(['namespace', bare]);
  });
});

test.each([
  ['JSON', '{"MsgId":"1"}', 'it does not start with an element'],
  ['tags that do not match', '<secret><b></secret>', 'a start tag and an end tag that do not match'],
  ['a tag that is cut off', lotus.slice(0, -20), 'a tag that does not end as it must'],
  ['two roots', `${body}<secret/>`, 'something follows the end of the root element'],
  ['an entity', '<a>&secret;</a>', 'an entity that XML does not define'],
  ['an ampersand', '<a>you & me</a>', 'an ampersand that starts no entity'],
  ['an attribute twice', '<a secret="1" secret="2"/>', 'an attribute twice'],
  ['a prefix of nobody', '<secret:a/>', 'a prefix that is not declared'],
  ['no URI', '<a xmlns:b="http://secret x"/>', 'a namespace that is no URI'],
  ['depth', '<a>'.repeat(300), 'elements nested too deep'],
  ['a number that is no character', '<a>&#x1000000041;</a>', 'a character that XML does not allow'],
  ['the end of a CDATA section', '<a>]]></a>', 'the characters ]]>'],
  ['a tag within an attribute', '<a b="<secret"/>', 'a < within the value of an attribute'],
])('%s is not well-formed, and is told why without its text', (_, text, words) => {
  const { code, detail } = faultOf(text);
  expect(code).toBe('not-well-formed');
  expect(detail).toMatch(/^not well-formed XML at line [0-9]+: /);
  expect(detail).toContain(words);
  expect(detail).not.toContain('secret');
});

describe('the answer of a party, made plain (PAY-11)', () => {
  const plain = (text: string) => Buffer.from(plainAnswer(Buffer.from(text))).toString();

  test.each([
    ['<a><!-- x --><b>1<?p q?>2</b></a>', '<a><b>12</b></a>'],
    ['<a><![CDATA[<&>]]></a>', '<a>&lt;&amp;&gt;</a>'],
    ['<?xml version="1.0" encoding="us-ascii"?><a/>', '<a/>'],
  ])('%s', (text, expected) => {
    expect(plain(text)).toBe(expected);
  });

  test.each([
    '<a<!-- -->/>', // never well-formed
    '<!DOCTYPE a><a><!-- x --></a>',
    '<a><!-- x </a>',
    '<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>',
    '<?xml version="1.0" encoding="utf-16"?><a/>',
  ])('%s stays, and is refused', (text) => {
    expect(plain(text)).toBe(text);
  });
});
