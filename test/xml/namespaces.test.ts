// Only elements of the message's own namespace are read, whatever their prefix. A message with a foreign element is
// refused.
import { describe, expect, test } from 'vitest';
import { messages, type MessageName } from '../../core/iso20022/messages.ts';
import { readPacs008 } from '../../core/iso20022/pacs008.ts';
import { readMessageKey } from '../../core/iso20022/references.ts';
import { textAt } from '../../core/iso20022/tree.ts';
import { rejectionOf } from '../../core/iso20022/violation.ts';
import { libxml2, lotus, validTree } from './fixtures.ts';
import { edit as editText } from '../harness/patches.ts';

const uetr = '6f1f3a52-9d0c-4f7e-8a43-2f4b7a1c9e01';
const foreignUetr = '11111111-1111-4111-8111-111111111111';
const own = messages.pacs008.namespace;

async function open(text: string, name: MessageName = 'pacs008') {
  const parsed = libxml2.parse(Buffer.from(text), [name]);
  if (!parsed.ok) throw new Error(parsed.refusal.detail);
  const document = parsed.value.document();
  const violations = await parsed.value.validate();
  parsed.value.dispose();
  return { document, violations };
}

/** Replaces exactly one place of a text; default: a valid pacs.008. */
const edit = (from: string | RegExp, to: string, text = lotus) => editText(text, from, to);

describe('a foreign element before the real one is not read in its place', () => {
  test.each([
    ['of another default namespace', `<UETR xmlns="urn:other">${foreignUetr}</UETR>`],
    [
      'inside which the namespace is ours again',
      `<x:a xmlns:x="urn:other"><UETR>${foreignUetr}</UETR></x:a>`,
    ],
  ])('%s', async (_, foreign) => {
    const { document, violations } = await open(edit('<UETR>', `${foreign}<UETR>`));
    expect(readMessageKey('pacs008', document)).toMatchObject({ ok: true, value: { uetr } });
    expect(violations[0] && rejectionOf(violations[0]).isoCode).toBe('FF01');
  });

  test('a whole foreign parent hides what stands in it', async () => {
    const hidden = `<x:PmtId xmlns:x="urn:other"><UETR>${foreignUetr}</UETR></x:PmtId>`;
    const { document } = await open(edit('<PmtId>', `${hidden}<PmtId>`));
    expect(readMessageKey('pacs008', document)).toMatchObject({ ok: true, value: { uetr } });
  });

  test.each([['pacs008', 'UETR', edit(/<UETR>/, '<UETR xmlns="urn:other">')]] as const)(
    '%s: alone, it is no %s at all',
    async (name, element, text) => {
      const { document } = await open(text, name);
      expect(readMessageKey(name, document)).toMatchObject({
        ok: false,
        refusal: { element, problem: 'missing' },
      });
    },
  );
});

describe('an element of the namespace is ours, whatever its prefix', () => {
  test.each([
    ['a prefix of its own', edit(/<UETR>([^<]*)<\/UETR>/, `<q:UETR xmlns:q="${own}">$1</q:UETR>`)],
    ['a default of its own', edit('<UETR>', `<UETR xmlns="${own}">`)],
    [
      'a prefix that was something else above',
      edit('<Document ', '<Document xmlns:q="urn:other" ').replace(
        /<PmtId>([^]*)<\/PmtId>/,
        `<q:PmtId xmlns:q="${own}">$1</q:PmtId>`,
      ),
    ],
  ])('%s', async (_, text) => {
    expect(readPacs008(await validTree('pacs008', text))).toMatchObject({ ok: true, value: { uetr } });
  });
});

describe('attributes are read to the last one, whatever stands before them (XML white space is #x20 #x9 #xD #xA)', () => {
  // legal in XML names, and white space for JavaScript
  test.each(['\u1680', '\uFEFF'])('after a prefix with U+%s', async (character) => {
    const declared = `xmlns:a${character}="urn:a"`;
    const text = edit('<IntrBkSttlmAmt Ccy="SGD">', `<IntrBkSttlmAmt ${declared} Ccy="SGD">`);
    expect(readPacs008(await validTree('pacs008', text))).toMatchObject({
      ok: true,
      value: { interbankSettlementAmount: { currency: 'SGD' } },
    });
  });
});

test('white space is what XML calls so, and nothing else (#x20 #x9 #xD #xA)', async () => {
  const notSpace = Array.from('\u00A0\u1680\u2003\u202F\u3000\uFEFF\u2028');
  for (const character of notSpace) {
    const { violations } = await open(edit('>1000.00<', `>${character}1000.00<`));
    expect(
      violations.map(({ kind }) => kind),
      `U+${character.codePointAt(0)?.toString(16)}`,
    ).toEqual(['invalid']);
  }
  const around = await open(edit('<Nm>Somchai Jaidee</Nm>', '<Nm>\u3000Somchai\u3000</Nm>'));
  expect(around.violations).toEqual([]); // invisible characters that are no white space in XML
  const spaced = await validTree('pacs008', edit('>1000.00<', '> \t\r\n1000.00 <'));
  expect(readPacs008(spaced)).toMatchObject({
    ok: true,
    value: { interbankSettlementAmount: { amount: '1000.00' } },
  });
  expect(textAt(spaced, 'FIToFICstmrCdtTrf/CdtTrfTxInf/IntrBkSttlmAmt')).toContain(' ');
});
