// Which marks of direction operators may write (OBS-6), as Unicode has them (UAX 9), against what Trojan Source does
// with them (CVE-2021-42574).
import { expect, test } from 'vitest';
import { misleads } from '../../../core/payments/steering.ts';

const [lri, rli, fsi, pdi] = ['\u2066', '\u2067', '\u2068', '\u2069'];

test.each([
  ['Arabic, Persian and Hebrew', 'المبلغ 100 ر.س تم التحقق منه؛ مبلغ تأیید شد؛ הסכום אושר'],
  ['a Latin name at the end of Hebrew, with a mark after its bracket', 'אושר על ידי Harbour Bank (TH)\u200f'],
  ['an amount kept from turning round', 'الدفعة \u200e-100.00 SGD\u200e و\u061c-100'],
  ['a UETR in Arabic, isolated', `الدفعة ${lri}550e8400-e29b-41d4-a716-446655440000${pdi} وصلت`],
  ['several isolates, one after the other', `${rli}א${pdi} ${fsi}b${pdi} ${lri}c${pdi}`],
])('%s may be written (OBS-6)', (_, text) => {
  expect(misleads(text)).toBe(false);
});

test.each([
  ['an override, which shows letters in another order', 'RJCT \u202eCCCA\u202c'],
  ['an override that is not closed', '\u202dabc'],
  ['an embedding, for which isolates do', '\u202babc\u202c'],
  ['an isolate that is not closed, which takes in what follows the text', `paid ${rli}not`],
  ['the end of an isolate that none began', `paid${pdi} not`],
  [
    'isolates within isolates, which turn whole phrases round',
    `${rli}${lri}not${pdi} ${lri}paid${pdi}${pdi}`,
  ],
  ['a control character', 'a\u0007b'],
  ['a separator of lines', 'a\u2028b'],
])('%s is refused (OBS-6)', (_, text) => {
  expect(misleads(text)).toBe(true);
});
