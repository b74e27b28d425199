// The table of rejections, and how one is told.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { additionalInformation, explain } from '../../../core/rejections/explanation.ts';
import { publicReason, reasonInWords, statusInWords } from '../../../core/rejections/reason-words.ts';
import { reject } from '../../../core/rejections/rejection.ts';
import { rejections, type RejectionKey } from '../../../core/rejections/rejection-table.ts';

const codeSets = fileURLToPath(new URL('../../../../shared/iso20022/codesets/', import.meta.url));
const present = existsSync(codeSets);
const note = present ? '' : ' (skipped: no code sets beside the project)';

function codesOf(set: string): readonly string[] {
  const { codes } = JSON.parse(readFileSync(`${codeSets}external_${set}.json`, 'utf8')) as { codes: object };
  return Object.keys(codes);
}

const keys = Object.keys(rejections) as RejectionKey[];

describe('codes', () => {
  test.skipIf(!present)(`every ISO code is in the external status reason set${note}`, () => {
    const known = codesOf('status_reason_code');
    expect(keys.filter((key) => !known.includes(rejections[key].isoCode))).toEqual([]);
  });
});

test('every code by which we reject has words for people, beside the code; a proprietary reason is not shown in public', () => {
  const codes = [...new Set(keys.map((key) => rejections[key].isoCode))];
  expect(codes.filter((code) => !/^[A-Z0-9]{4} [a-z]/i.test(reasonInWords(code)))).toEqual([]);
  expect(statusInWords('RJCT', 'AC04')).toBe('RJCT AC04 account closed');
  expect(statusInWords('ACCC', null)).toBe('ACCC');
  expect(publicReason('Payee Somchai has moved')).toBe('unlisted code');
});

const folders = ['core', 'activities', 'workflows', 'db', 'api'].map((name) =>
  fileURLToPath(new URL(`../../../${name}/`, import.meta.url)),
);
/** Code that refuses messages: it asks for a row of the table by its name. */
const refusing = folders
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !/rejections?(-table)?\.ts$/.test(name))
      .map((name) => readFileSync(folder + name, 'utf8')),
  )
  .filter((text) =>
    /\b(?:reject|rejectWith|rejections)\b[^;]*\bfrom '[^']*\/rejection(?:-table)?\.ts'/.test(text),
  )
  .join('\n');

test('every row of the table is a reason for which something is refused: none is published that never occurs', () => {
  expect(keys.filter((key) => !refusing.includes(`'${key}'`))).toEqual([]);
});

describe('what is told (MSG-11)', () => {
  test('rule, XPath from CdtTrfTxInf on, and the public text', () => {
    expect(additionalInformation(reject('quote-expired'))).toBe(
      'PAY-4 CdtTrfTxInf/AgrdRate/QtId: quote expired',
    );
  });

  test('a rejection without a place tells its text', () => {
    expect(additionalInformation(reject('destination-unreachable'))).toBe(
      'TIM-3 destination system not reachable; nothing was sent to it',
    );
  });

  test('a long XPath is cut at its head, so that the reason has room, to 105 characters with both', () => {
    const path = `CdtTrfTxInf/${'RgltryRptg[10]/'.repeat(8)}Amt`;
    const told = additionalInformation(reject('schema-invalid', `/Document/FIToFICstmrCdtTrf/${path}`));
    expect(told).toHaveLength(105);
    expect(told).toMatch(/^MSG-4 \.\.\..*: not valid against the schema$/);
    expect(path.endsWith(told.slice('MSG-4 ...'.length, told.indexOf(': ')))).toBe(true);
  });

  test('what stands there and what was expected, where there is room', () => {
    const told = (found: string, expected: string, text?: string) =>
      additionalInformation(
        reject('currency-wrong', '/Document/FIToFICstmrCdtTrf/CdtTrfTxInf/InstdAmt', undefined, {
          found,
          expected,
          ...(text === undefined ? {} : { text }),
        }),
      );
    expect(told('XXY', 'SGD or THB')).toBe(
      'MSG-4 CdtTrfTxInf/InstdAmt: not the currency that belongs here. Found: XXY. Expected: SGD or THB.',
    );
    expect(told('XXY', `SGD, as ${'every amount '.repeat(3)}`)).toBe(
      'MSG-4 CdtTrfTxInf/InstdAmt: not the currency that belongs here. Found: XXY.',
    );
    expect(told('XXY', 'SGD', 'must be SGD')).toBe('MSG-4 CdtTrfTxInf/InstdAmt: must be SGD. Found: XXY.');
    expect(told('nothing', 'x'.repeat(80), 'mandatory element missing')).toBe(
      'MSG-4 CdtTrfTxInf/InstdAmt: mandatory element missing',
    );
  });

  test('a reason that is too long is cut at a word, never left out', () => {
    const text = 'must be: Plain decimal: no sign, no leading zeros, a point only between digits';
    const details = { text, found: '1,000.00', expected: text.slice(9) };
    const path = '/Document/FIToFICstmrCdtTrf/CdtTrfTxInf/IntrBkSttlmAmt';
    expect(additionalInformation(reject('schema-invalid', path, undefined, details))).toBe(
      'MSG-4 CdtTrfTxInf/IntrBkSttlmAmt: must be: Plain decimal: no sign, no leading zeros... Found: 1,000.00.',
    );
  });

  const xpaths = {
    'its own place': undefined,
    'a usual place': '/Document/FIToFICstmrCdtTrf/CdtTrfTxInf/AddtlDtTm/AccptncDtTm',
    'a deep place': `/Document/FIToFICstmrCdtTrf/CdtTrfTxInf/${'StrdRmtInf[12]/'.repeat(9)}Amt`,
  };
  test.each(
    keys.flatMap((key) => Object.entries(xpaths).map(([place, xpath]) => [key, place, xpath] as const)),
  )('%s at %s says what is wrong', (key, _, xpath) => {
    const told = additionalInformation(reject(key, xpath));
    expect(told.length).toBeLessThanOrEqual(105);
    const { text } = rejections[key];
    const reason = xpath === undefined && told.indexOf(': ') < 0 ? told : told.slice(told.indexOf(': ') + 2);
    expect(reason.includes(text) || text.startsWith(reason.replace(/\.\.\.$/, '')), told).toBe(true);
    expect(reason.length).toBeGreaterThanOrEqual(Math.min(text.length, 30));
  });
});

describe('a repeat that is refused (DUP-2)', () => {
  const repeats = [
    'duplicate-uetr',
    'duplicate-content',
    'duplicate-message-id',
    'duplicate-request',
  ] as const;

  test.each(repeats)('%s: the short form says, in full, that the first message stands', (key) => {
    expect(additionalInformation(reject(key))).toMatch(/; the first (one|message|request) stands$/);
  });

  test.each(repeats)('%s: the long form says how to learn the status, and tells none', (key) => {
    const told = explain(reject(key));
    expect(told).toMatch(/exactly the same bytes/);
    expect(told).not.toMatch(/ACCC|ACTC|RJCT|BLCK|credited|accepted|rejected/);
  });
});

describe('where the right value comes from is told, not what the check is called (MSG-13)', () => {
  test.each([
    ['creditor-agent-unknown', /GET \/countries\/\{countryCode\}\/fin-insts\/psp/],
    ['debtor-agent-not-member', /GET \/countries\/\{countryCode\}\/fin-insts\/psp/],
    ['quote-unknown', /Found: the id of no quote\. Expected: .*quoteId.*debtor agent/],
    ['quote-in-use', /Found: .*another payment.* Expected: a new quote/],
    ['quote-expired', /Expected: a new quote.*600 s/],
    ['intermediary-agent-differs', /GET \/quotes\/\{quoteId\}\/intermediary-agents/],
  ] as const)('%s', (key, said) => {
    expect(explain(reject(key))).toMatch(said);
    expect(explain(reject(key)).length).toBeLessThan(600);
  });
});

describe('what is expected is something that the sender can send or do (MSG-13)', () => {
  test.each(keys)('%s: not the principle that was checked', (key) => {
    const { expected } = reject(key);
    expect(expected).toBeDefined();
    expect(expected).not.toBe(rejections[key].checks.replaceAll('`', '').replace(/\.$/, ''));
  });
});
