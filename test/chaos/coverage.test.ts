// What a fault has met of the payments' lives (chaos/coverage.ts), on the recorded evidence of a clean run.
import { rmSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { coverageOf, metBy } from '../../chaos/coverage.ts';
import { readEvidence } from '../../chaos/oracle/read-evidence.ts';
import { unpackCleanEvidence } from './clean-evidence.ts';

const folder = unpackCleanEvidence();
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const { tables, run } = readEvidence(folder);

const during = (beganAt: string, endedAt: string) =>
  metBy({
    tables,
    faults: [{ name: 'worker-killed', target: 'worker-1', beganAt, endedAt, detail: '' }],
  });

test('a fault that lasts as long as the run meets every payment in each state that it was in, however short', () => {
  const [fault] = during(run.startedAt, run.gatheredAt);
  const accepted = tables['payments']?.filter((row) => row['accepted'] === true).length ?? 0;
  expect(accepted).toBeGreaterThan(5);
  expect(fault?.met).toMatchObject({ received: accepted, unsent: accepted });
  const { sending = 0, waiting = 0, reported = 0, telling = 0, done = 0 } = fault?.met ?? {};
  expect(Math.min(sending, waiting, reported, telling, done)).toBeGreaterThan(0);
  expect(Math.max(sending, waiting, reported, telling, done)).toBeLessThanOrEqual(accepted);
});

test('a fault before the first payment has met none, and each of its cells is named as empty', () => {
  const before = new Date(Date.parse(run.startedAt) - 60_000).toISOString();
  const faults = during(before, before);
  expect(Object.values(faults[0]?.met ?? {})).toEqual([0, 0, 0, 0, 0, 0, 0]);
  expect(coverageOf(faults, ['worker-killed']).empty).toHaveLength(7);
});

test('a fault at one moment meets each payment in the states of that moment', () => {
  const decision = tables['decisions']?.find((row) => row['decided_by'] === 'destination');
  const decidedAt = new Date(String(decision?.['decided_at'])).toISOString();
  expect(during(decidedAt, decidedAt)[0]?.met.reported).toBeGreaterThan(0);
});
