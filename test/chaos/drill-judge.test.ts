// The judge of a drill names each fault that it is there to find.
import { expect, test } from 'vitest';
import { judge, measure, type Facts } from '../../chaos/drills/judge.ts';
import type { Exchange } from '../../chaos/oracle/evidence.ts';
import type { JournalEntry } from '../../sandbox/journal-file.ts';

const uetr = '7f0c1a52-4a44-4d5e-9a0a-0c5a3f1f3c11';
const at = (seconds: number) => new Date(Date.parse('2026-01-05T04:00:00Z') + seconds * 1_000);

const answer = (changes: Partial<Exchange> = {}): Exchange => ({
  sentAt: at(0).toISOString(),
  endedAt: at(1).toISOString(),
  api: 'api-1',
  client: 'SGDFAST',
  method: 'POST',
  path: '/iso20022/pacs008',
  purpose: 'payment',
  uetr,
  status: 200,
  responseBody: '<TxSts>ACTC</TxSts>',
  ...changes,
});

let sequence = 0;
const entry = (values: Partial<JournalEntry>): JournalEntry => ({
  sequence: (sequence += 1),
  at: at(3).toISOString(),
  party: 'source/SGDFAST',
  direction: 'received',
  kind: 'pacs002',
  uetr,
  sha256: 'one',
  ...values,
});
const callback = (changes: Partial<JournalEntry> = {}) => entry({ status: 'ACCC', ...changes });
const instructed = (sha256 = 'one') => entry({ party: 'destination/IPSO-TH', kind: 'pacs008', sha256 });
const booked = (status: string) =>
  entry({ party: 'destination/IPSO-TH', direction: 'booked', kind: 'ledger', status });
const notified = (sha256 = 'one') => entry({ party: 'fxp/MERISGS0', kind: 'fxtr017', sha256 });

const payment = { uetr, judgedAt: at(1), hasQuote: true };
const decision = { uetr, status: 'ACCC', reasonCode: null, decidedAt: at(2) };
const clean: Facts = {
  exchanges: [answer()],
  payments: [payment],
  decisions: [decision],
  journal: [instructed(), booked('moved'), callback(), notified()],
};
const faultsOf = (changes: Partial<Facts>) => judge({ ...clean, ...changes }).faults;
const withEntries = (...more: readonly JournalEntry[]) => ({ journal: [...clean.journal, ...more] });
const without = (one: JournalEntry) => ({ journal: clean.journal.filter((other) => other !== one) });

test('a payment that all agree on has no fault', () => {
  expect(judge(clean)).toEqual({ faults: [], acknowledged: 1, ends: { ACCC: 1 }, toldTwice: 0 });
});

const [, moved, told, fx] = clean.journal as [JournalEntry, JournalEntry, JournalEntry, JournalEntry];
const rejected = { ...decision, status: 'RJCT', reasonCode: 'AB03' };

test.each<[string, Partial<Facts>, string]>([
  [
    'acknowledged, and not on record',
    { payments: [], decisions: [], journal: [] },
    'no payment is on record',
  ],
  ['accepted, and undecided', { decisions: [], journal: [] }, 'has no decision'],
  ['decided twice', { decisions: [decision, decision] }, 'has 2 decisions'],
  ['a source that was told nothing', without(told), 'its source was not told'],
  ['a source that was told something else', withEntries(callback({ status: 'RJCT' })), 'was told ACCC, RJCT'],
  ['two credits', withEntries(booked('moved')), 'credited 2 times'],
  ['two instructions', withEntries(instructed('two')), 'reached its destination in two'],
  ['a credit without ACCC', { decisions: [rejected] }, 'was credited, and its decision is RJCT'],
  ['a credit without a decision', { decisions: [] }, 'was credited, and its decision is none'],
  ['an ACCC without a credit', without(moved), 'was not credited'],
  ['a reversed credit', withEntries(booked('reversed')), 'was not credited'],
  ['an FX provider that was not told', without(fx), 'its FX provider was not told'],
  ['an FX provider that was told of a rejection', { decisions: [rejected] }, 'was told to an FX provider'],
  ['two callbacks', withEntries(callback({ sha256: 'two' })), 'in two different messages'],
  ['two notifications', withEntries(notified('two')), 'in two different messages'],
])('it finds %s', (_, changes, words) => {
  expect(faultsOf(changes).join()).toContain(words);
});

test('after a restore, a missing payment is counted, and nothing else of it is judged', () => {
  const facts = { ...clean, payments: [], decisions: [], missing: new Set([uetr]) };
  expect(judge(facts)).toMatchObject({ faults: [], lost: { acknowledged: 1, credited: 1 } });
});

test('after a restore, a payment that nobody named as missing is a fault', () => {
  const facts = { ...clean, payments: [], decisions: [], journal: [], missing: new Set<string>() };
  expect(judge(facts).faults.join()).toContain('no payment is on record');
});

test('after a restore, the same outcome may be told in a second message, another one may not', () => {
  const missing = new Set<string>();
  const again = { ...clean, ...withEntries(callback({ sha256: 'two' })), missing };
  expect(judge(again)).toMatchObject({ faults: [], toldTwice: 1 });
  const other = { ...clean, ...withEntries(callback({ sha256: 'two', status: 'RJCT' })), missing };
  expect(judge(other).faults.join()).toContain('was told ACCC, RJCT');
});

test('times: the longest time without an answer, and until everything was decided and told', () => {
  const exchanges = [
    answer(),
    answer({ uetr: 'second', endedAt: at(2).toISOString(), status: 503 }),
    answer({ uetr: 'second', endedAt: at(9).toISOString(), purpose: 'payment-again' }),
    answer({ uetr: 'third', endedAt: at(10).toISOString(), status: 503 }),
    answer({ uetr: 'third', endedAt: at(10.5).toISOString(), purpose: 'quote' }),
  ];
  const action = { from: at(1.5).getTime(), to: at(8).getTime() };
  expect(measure({ ...clean, exchanges }, action)).toEqual({
    unansweredMs: 8_000,
    slowestDecisionMs: 1_000,
    allDecidedMs: 500,
    allToldMs: 1_500,
    acceptedAfter: 0,
    repeated: 1,
    unanswered: 1,
  });
});
