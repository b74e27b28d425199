// The table of rejections, and how one is told.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { additionalInformation, reject, rejections, type RejectionKey } from '../../core/rejection.ts';

const codeSets = fileURLToPath(new URL('../../../shared/iso20022/codesets/', import.meta.url));
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

describe('what is told (MSG-11)', () => {
  test('rule, XPath from CdtTrfTxInf on, and the public text', () => {
    expect(additionalInformation(reject('quote-expired'))).toBe(
      'PAY-4 CdtTrfTxInf/AgrdRate/QtId: quote expired',
    );
  });

  test('a rejection without a place tells its text', () => {
    expect(additionalInformation(reject('destination-unreachable'))).toBe(
      'TIM-3 destination system not reachable',
    );
  });

  test('a long XPath is cut at its head, to 105 characters with the rule', () => {
    const path = `CdtTrfTxInf/${'RgltryRptg[10]/'.repeat(8)}Amt`;
    const told = additionalInformation(reject('schema-invalid', `/Document/FIToFICstmrCdtTrf/${path}`));
    expect(told).toHaveLength(105);
    expect(told).toMatch(/^MSG-4 \.\.\./);
    expect(path.endsWith(told.slice('MSG-4 ...'.length))).toBe(true);
  });

  test.each(keys)('%s fits into 105 characters', (key) => {
    const told = additionalInformation(reject(key));
    expect(told.length).toBeLessThanOrEqual(105);
    expect(told).toMatch(/^[A-Z]{3}-\d{1,2} \S/);
  });
});
