// What a person reads of a message: of one that nobody answered words, not the code of a library; of a trade whose it is.
import { expect, it } from 'vitest';
import { lineOf } from '../../cli/demo/timeline.ts';
import { messageValues } from '../../cli/demo/message-values.ts';
import { buildFxtr017 } from '../../core/iso20022/fxtr017.ts';
import type { JournalEntry } from '../../sandbox/journal-file.ts';
import { trade } from '../harness/trade.ts';

const sent: JournalEntry = {
  sequence: 1,
  at: '2026-11-21T04:00:00.000Z',
  party: 'destination/IPSO-TH',
  direction: 'sent',
  kind: 'pacs002',
  uetr: '6f1f3a52-9d0c-4f7e-8a43-2f4b7a1c9e01',
  status: 'ACCC',
};

it.each([
  ['UND_ERR_HEADERS_TIMEOUT', 'no answer in time'],
  ['UND_ERR_CONNECT_TIMEOUT', 'no answer in time'],
  ['ECONNREFUSED', 'no connection'],
  ['UND_ERR_SOCKET', 'the connection broke'],
  ['ECONNRESET', 'the connection broke'],
  ['the answer is longer than 64 KiB', 'the answer is longer than 64 KiB'],
])('a report that met %s is shown with: %s', (note, shown) => {
  expect(lineOf({ ...sent, note }, 0, messageValues()).detail).toBe(shown);
});

it('a trade is shown with who sells what: the source PSP, not the FX provider that is told of it (NOT-2)', () => {
  const fxtr017 = buildFxtr017({ ...trade, uetr: sent.uetr ?? '' });
  const bytes = Buffer.from(fxtr017);
  const told = { ...sent, party: 'fxp/MERISGS0', direction: 'received', kind: 'fxtr017', bytes } as const;
  expect(lineOf(told, 0, messageValues()).detail).toBe('LOTUSGS0 sells 1,000 SGD for 25,000 THB at 25');
});
