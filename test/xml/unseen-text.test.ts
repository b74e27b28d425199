// A text of invisible characters counts as empty.
import { describe, expect, test } from 'vitest';
import { readable } from '../../core/iso20022/lexical.ts';
import { messages, type MessageName } from '../../core/iso20022/messages.ts';
import { rejectionOf } from '../../core/iso20022/violation.ts';
import { findValueFault } from '../../xml/values.ts';
import { libxml2, lotus } from './fixtures.ts';
import { loadModel } from './generate.ts';

async function violationsOf(text: string, name: MessageName = 'pacs008') {
  const parsed = libxml2.parse(Buffer.from(text), [name]);
  if (!parsed.ok) throw new Error(parsed.refusal.detail);
  const violations = await parsed.value.validate();
  parsed.value.dispose();
  return violations;
}

const named = (name: string) => lotus.replace('<Nm>Somchai Jaidee</Nm>', () => `<Nm>${name}</Nm>`);
const rejectionsOf = async (name: string) => (await violationsOf(named(name))).map(rejectionOf);
const codeOf = (character: string) =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Characters that XML can carry; of the block of 4,096 tags, a sample. */
const characters = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || (code > 0xdfff && code < 0xfffe) || code > 0xffff)
  .filter((code) => (code >= 0xe0000 && code <= 0xe0fff ? code % 64 === 1 : true))
  .map((code) => String.fromCodePoint(code));
const unseen = characters.filter((one) => /[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFB]/u.test(one)); // prettier-ignore
const inXml = unseen.filter((one) => !/[\0-\x08\x0B\x0C\x0E-\x1F]/.test(one));

test('a name of one character that shows nothing is empty: CH21', async () => {
  expect(unseen.length).toBeGreaterThan(100);
  for (const character of inXml) {
    const [rejection, ...more] = await rejectionsOf(character);
    expect([codeOf(character), rejection?.key, rejection?.isoCode, rejection?.xpath, more]).toEqual([
      codeOf(character),
      'element-missing',
      'CH21',
      '/Document/FIToFICstmrCdtTrf/CdtTrfTxInf/Cdtr/Nm',
      [],
    ]);
  }
});

test('such characters within a name that shows something are taken as they always were', async () => {
  for (const name of [
    '\u3000李',
    '李\u3000',
    'A\u00A0B',
    'क\u094D\u200Dष',
    '\uFEFFA',
    'A\uFE0F',
    '\u2800a',
    '​.',
  ])
    expect([name, await rejectionsOf(name)]).toEqual([name, []]);
});

describe('no type of value, of any message, takes a text that shows nothing', () => {
  test.each(Object.keys(messages) as MessageName[])('%s', (name) => {
    const model = loadModel(name);
    for (const type of model.simpleTypes.keys()) {
      const isTaken = (text: string) =>
        findValueFault(model, type, { text, xpath: '/Document' }) === undefined;
      expect([type, unseen.filter(isTaken).map(codeOf)]).toEqual([type, []]);
    }
  });
});

test('what we write is held to the same: a text that shows nothing is left out', () => {
  for (const character of unseen.filter((one) => readable(one, 10) !== '?'))
    expect(readable(` ${character}`, 10)).toBeUndefined();
  expect(readable('\u200Ba', 10)).toBe('\u200Ba');
  expect(readable('\u200B'.repeat(10) + 'a', 10)).toBeUndefined();
});
