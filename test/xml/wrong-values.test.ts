// Refusals of wrong values say precisely what does not fit: case, impossible dates and times, number of digits, a
// missing namespace.
import { describe, expect, test } from 'vitest';
import { libxml2, lotus } from './fixtures.ts';
import { edit as editText } from '../harness/patches.ts';

/** Replaces exactly one place of a text; default: a valid pacs.008. */
const edit = (from: string | RegExp, to: string, text = lotus) => editText(text, from, to);

async function violationsOf(text: string) {
  const parsed = libxml2.parse(Buffer.from(text), ['pacs008']);
  if (!parsed.ok) throw new Error(parsed.refusal.detail);
  const violations = await parsed.value.validate();
  parsed.value.dispose();
  return violations;
}

describe('what is expected cannot be true of what was found (MSG-13)', () => {
  const bicForm = 'BIC of 8 or 11 characters in upper case, with the two letters of a country at 5 and 6';
  const debtorAgent = /(<DbtrAgt>\s*<FinInstnId>\s*<BICFI>)\w+/;
  const amount = '"SGD">1000.00';
  const moment = (text: string) => edit(/(<AccptncDtTm>)[^<]*/, `$1${text}`);
  const day = (text: string) => edit(/(<IntrBkSttlmDt>)[^<]*/, `$1${text}`);
  test.each([
    [
      'a BIC in lower case',
      edit(debtorAgent, '$1lotusgs0'),
      `must be: ${bicForm}`,
      '8 characters, lower case instead of upper case',
    ],
    [
      'an amount of 19 digits',
      edit(amount, '"SGD">1234567890123456789'),
      'more than 18 digits',
      '1234567890123456789',
    ],
    [
      'a UUID of version 1',
      edit(/(?<=<UETR>\w{8}-\w{4}-)4/, '1'),
      'must be: UUID version 4 in lower case',
      '36 characters',
    ],
    [
      '30 February',
      moment('2026-02-30T12:00:00+08:00'),
      'must be a date that exists',
      '2026-02-30T12:00:00+08:00',
    ],
    ['a day with a time zone', day('2026-01-05Z'), 'must have no time zone', '2026-01-05Z'],
    [
      '24 hours',
      moment('2026-01-05T24:00:00Z'),
      'must be a time from 00:00:00 to 23:59:59',
      '2026-01-05T24:00:00Z',
    ],
    ['a time without zone', moment('2026-01-05T12:00:00'), 'must have a time zone', '2026-01-05T12:00:00'],
    [
      'a zone that does not exist',
      moment('2026-01-05T12:00:00+15:00'),
      'must have a time zone from -14:00 to +14:00',
      '2026-01-05T12:00:00+15:00',
    ],
    [
      'an element in no namespace',
      edit('<Dbtr>', '<Dbtr><Nm xmlns="">Aisha</Nm>'),
      'holds an element in no namespace',
      'an element in no namespace at the beginning',
    ],
  ])('%s', async (_, text, says, found) => {
    const [violation, ...others] = await violationsOf(text);
    expect([violation?.text, violation?.found, others]).toEqual([says, found, []]);
  });
});
