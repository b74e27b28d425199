// What a message is told whose ids stand in another namespace than its root element, or in none (MSG-13).
import { expect, test } from 'vitest';
import { refusedKeys } from '../../../api/http/input/intake.ts';
import { libxml2, lotus } from '../../xml/fixtures.ts';

const told = (xml: string) => {
  const parsed = libxml2.parse(Buffer.from(xml), ['pacs008']);
  if (!parsed.ok) throw new Error(parsed.refusal.detail);
  const document = parsed.value.document();
  parsed.value.dispose();
  return refusedKeys('pacs008', document);
};
const says = 'Some elements are not in the namespace of Document, so Isthmus does not read them (MSG-12).';

test.each([
  ['the group header', '<GrpHdr>', '<GrpHdr xmlns="">'],
  ['the message itself', '<FIToFICstmrCdtTrf>', '<FIToFICstmrCdtTrf xmlns="urn:other">'],
])('%s: it is told so, beside the ids that were not found', (_, from, to) => {
  const xml = lotus.replace(from, to);
  expect(xml).not.toBe(lotus);
  expect(told(xml)).toContain(says);
});

test('a message without its id is not', () => {
  expect(told(lotus.replace(/<MsgId>[^<]*<\/MsgId>/, ''))).toMatch(/^MsgId is missing/);
});
