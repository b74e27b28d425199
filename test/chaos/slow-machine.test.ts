// The chaos judge on a slow machine: it does not judge lateness, but still judges content.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openMachineProbe } from '../../chaos/machine.ts';
import type { MachineBeat } from '../../chaos/oracle/evidence.ts';
import { judge } from '../../chaos/oracle/judge.ts';
import { readEvidence } from '../../chaos/oracle/read-evidence.ts';
import { exitCodeOf } from '../../chaos/report.ts';
import {
  credited,
  draftOf,
  first,
  moved,
  row,
  rows,
  submissionOf,
  uetrs,
  type Case,
  type Draft,
} from './altered.ts';
import { unpackCleanEvidence } from './clean-evidence.ts';
import { askedCases } from './cases-asked.ts';
import { moneyCases } from './cases-money.ts';
import { recordCases } from './cases-record.ts';
import { scheduleCases } from './cases-schedule.ts';
import { unansweredCases } from './cases-unanswered.ts';

const clean = readEvidence(unpackCleanEvidence());

/** Adds beats of the probe between two moments, each late by `lateMs`. */
function measure(draft: Draft, from: string, to: string, lateMs: number): void {
  for (let at = from; at < to; at = moved(at, 500 + lateMs)) draft.machine.push({ at, lateMs });
}

const slowly = (draft: Draft) => measure(draft, draft.run.startedAt, draft.run.gatheredAt, 200);

const known = [...askedCases, ...moneyCases, ...recordCases, ...scheduleCases, ...unansweredCases];
const caseOf = (title: string): Case => {
  const found = known.find((one) => one.title === title);
  if (found === undefined) throw new Error(`no case: ${title}`);
  return found;
};

test.each(
  [
    'a message gets no answer though nothing was broken',
    'a message is answered after nine seconds',
    'a deadline is missed by ten seconds',
    'who takes everything at once is sent to three seconds late',
    'a receiver that says nothing is waited for',
    'a payment is answered 503 though nothing is broken',
  ].map(caseOf),
)('$title: $id is not judged while the machine is too slow', ({ id, alter }) => {
  const draft = draftOf(clean);
  alter(draft);
  slowly(draft);
  const verdict = judge(draft);
  expect(verdict.breaches.filter((one) => one.id === id)).toEqual([]);
  expect(verdict.notJudged.map((one) => one.id)).toContain(id);
  expect(verdict.findings.find((one) => one.id === id)?.outcome).toBe('not-judged');
});

const ofContent = known.filter(({ id }) => ['I-1', 'I-2', 'I-4', 'I-5', 'I-9', 'I-10'].includes(id));
test.each([...ofContent, caseOf('a report is answered 500 though nothing is broken')])(
  '$title: $id is judged however slow the machine is',
  ({ id, alter }) => {
    const draft = draftOf(clean);
    alter(draft);
    slowly(draft);
    expect(judge(draft).breaches.map((one) => one.id)).toContain(id);
  },
);

test('a message that is answered late is judged by how slow the machine was at that time', () => {
  const outcomeOf = (slowFromMs: number, slowToMs: number) => {
    const draft = draftOf(clean);
    const { sentAt } = submissionOf(draft, credited(draft));
    caseOf('a message is answered after nine seconds').alter(draft);
    const [from, to] = [moved(sentAt, slowFromMs), moved(sentAt, slowToMs)];
    measure(draft, draft.run.startedAt, from, 5);
    measure(draft, from, to, 200);
    measure(draft, to, draft.run.gatheredAt, 5);
    return judge(draft).findings.find(({ id }) => id === 'I-16')?.outcome;
  };
  expect([outcomeOf(-5_000, 5_000), outcomeOf(-30_000, -15_000), outcomeOf(15_000, 30_000)]).toEqual([
    'not-judged',
    'broken',
    'broken',
  ]);
});

test('what is ten seconds late is judged, though the machine was slow for four seconds before', () => {
  const draft = draftOf(clean);
  caseOf('a deadline is missed by ten seconds').alter(draft);
  const uetr = first(uetrs(draft, { reason_code: 'AB03', decided_by: 'gateway' })); // the payment that the case alters
  const deadline = String(row(draft, 'payments', { uetr })['deadline_at']);
  measure(draft, draft.run.startedAt, moved(deadline, -8_000), 5);
  measure(draft, moved(deadline, -8_000), moved(deadline, -4_000), 200);
  measure(draft, moved(deadline, -4_000), draft.run.gatheredAt, 5);
  expect(judge(draft).breaches.map(({ id }) => id)).toContain('R:TIM-1');
});

test('the exit code is 0, or 3 where the machine was too slow for most of the run, or 1 after a breach', () => {
  const codeOf = (...alter: readonly ((draft: Draft) => void)[]) => {
    const draft = draftOf(clean);
    for (const one of alter) one(draft);
    return exitCodeOf(judge(draft));
  };
  const late = caseOf('a message is answered after nine seconds').alter;
  const lose = (draft: Draft) => {
    draft.tables['payments'] = rows(draft, 'payments').slice(1);
  };
  const atTheEnd = (draft: Draft) =>
    measure(draft, moved(draft.run.gatheredAt, -5_000), draft.run.gatheredAt, 200);
  expect([
    codeOf(slowly),
    codeOf(late, slowly),
    codeOf(late),
    codeOf(lose, slowly),
    codeOf(atTheEnd),
  ]).toEqual([0, 3, 1, 1, 0]);
});

test('the probe measures this machine in a process of its own until it is stopped', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-probe-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const beats: MachineBeat[] = [];
  const probe = await openMachineProbe(join(folder, 'probe'), (beat) => beats.push(beat));
  await expect.poll(() => beats.length).toBeGreaterThan(1);
  await probe.stop();
  const count = beats.length;
  for (const { at, lateMs } of beats) {
    expect(Date.parse(at)).toBeLessThanOrEqual(Date.now());
    expect(lateMs).toBeGreaterThanOrEqual(0);
  }
  expect(probe.lateMs()).toBe(Math.round(beats.reduce((sum, { lateMs }) => sum + lateMs, 0) / count));
  await probe.stop();
  expect(beats).toHaveLength(count);
});
