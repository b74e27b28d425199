// Whether a destination's report is about the instruction that we sent (PAY-8), and whether it is final (PAY-7).
import { describe, expect, test } from 'vitest';
import type { Pacs002 } from '../../../core/iso20022/pacs002.ts';
import type { OriginalReferences } from '../../../core/iso20022/references.ts';
import { judgeReport } from '../../../core/payments/report.ts';

const sent: OriginalReferences = {
  messageIdentification: 'OURS',
  messageNameId: 'pacs.008.001.13',
  creationDateTime: '2026-01-01T00:00:00Z',
  instructionId: 'I',
  endToEndId: 'E',
  transactionId: 'T',
  uetr: '11111111-1111-4111-8111-111111111111',
};
const about = (original: OriginalReferences, status: Pacs002['status'] = 'ACCC'): Pacs002 => ({
  messageIdentification: 'THEIRS',
  creationDateTime: '2026-01-01T00:00:01Z',
  status,
  original,
});

test('ACCC, RJCT and BLCK are final; ACWP and ACTC are interim', () => {
  const statuses = ['ACCC', 'RJCT', 'BLCK', 'ACWP', 'ACTC'] as const;
  const kinds = statuses.map((status) => judgeReport(about(sent, status), sent).kind);
  expect(kinds).toEqual(['final', 'final', 'final', 'interim', 'interim']);
});

describe('a report matches', () => {
  test('with all ids', () => {
    expect(judgeReport(about(sent), sent)).toEqual({ kind: 'final' });
  });

  test('with the mandatory ids alone', () => {
    const { messageIdentification, messageNameId, uetr } = sent;
    expect(judgeReport(about({ messageIdentification, messageNameId, uetr }), sent)).toEqual({
      kind: 'final',
    });
  });

  test('whatever it gives for an id that our message does not have (PAY-11)', () => {
    const { messageIdentification, messageNameId, uetr } = sent;
    expect(judgeReport(about(sent), { messageIdentification, messageNameId, uetr })).toEqual({
      kind: 'final',
    });
  });

  test('whatever creation time it repeats: clocks are written in more than one way', () => {
    expect(judgeReport(about({ ...sent, creationDateTime: '2026-01-01T00:00:00.000Z' }), sent)).toEqual({
      kind: 'final',
    });
  });
});

describe('a report does not match', () => {
  test.each([
    ['uetr', 'OrgnlUETR'],
    ['messageIdentification', 'OrgnlMsgId'],
    ['messageNameId', 'OrgnlMsgNmId'],
    ['instructionId', 'OrgnlInstrId'],
    ['endToEndId', 'OrgnlEndToEndId'],
    ['transactionId', 'OrgnlTxId'],
  ] as const)('with another %s', (id, element) => {
    expect(judgeReport(about({ ...sent, [id]: 'other' }), sent)).toEqual({ kind: 'mismatch', element });
  });
});
