// Tests the chaos judge. It finds nothing in the evidence of a clean run, and names each alteration of that
// evidence. Each case stands for one mistake in the product. `also` lists the invariants that the same mistake
// breaks.
import { expect, test } from 'vitest';
import { judge } from '../../chaos/oracle/judge.ts';
import { readEvidence } from '../../chaos/oracle/read-evidence.ts';
import { draftOf, row, rows, silent, type Case } from './altered.ts';
import { unpackCleanEvidence } from './clean-evidence.ts';
import { askedCases } from './cases-asked.ts';
import { messageCases } from './cases-messages.ts';
import { moneyCases } from './cases-money.ts';
import { quoteCases } from './cases-quotes.ts';
import { recordCases, show } from './cases-record.ts';
import { scheduleCases } from './cases-schedule.ts';
import { unansweredCases } from './cases-unanswered.ts';

const folder = unpackCleanEvidence();
const clean = readEvidence(folder);

test('the evidence of a clean run has no breach, and shows every invariant', () => {
  const { breaches, findings } = judge(clean);
  expect(breaches).toEqual([]);
  const shown = findings.filter(({ id, outcome }) => id.startsWith('I-') && outcome === 'held');
  expect(shown).toHaveLength(20);
});

test('an execution that ended after the database was read went on with its payment until then', () => {
  const draft = draftOf(clean);
  const uetr = silent(draft);
  draft.run.healedAt = draft.run.gatheredAt;
  const closedAt = new Date(Date.parse(draft.run.gatheredAt) + 1).toISOString();
  for (const one of draft.executions.filter(({ workflowId }) => workflowId.endsWith(uetr)))
    Object.assign(one, { status: 'COMPLETED', closedAt });
  expect(judge(draft).breaches).toEqual([]);
});

test('a delivery that was asked for again and given up again has an alert for each end', () => {
  const draft = draftOf(clean);
  const alert = row(draft, 'audit_events', { kind: 'delivery.dead-letter' });
  const before = new Date(Date.parse(String(alert['occurred_at'])) - 12_000).toISOString();
  rows(draft, 'audit_events').unshift({ ...alert, occurred_at: before });
  expect(judge(draft).breaches).toEqual([]);
});

test('a payment that is shown as it is on record has no breach', () => {
  const draft = draftOf(clean);
  show(draft, { status: 'ACCC', decision: { status: 'ACCC', reasonCode: null } });
  expect(judge(draft).breaches).toEqual([]);
});

test('an invariant of which nothing could be examined is not shown, and does not count as held', () => {
  const draft = draftOf(clean);
  draft.faults.push({
    name: 'nothing',
    target: 'worker-1',
    beganAt: draft.run.startedAt,
    endedAt: draft.run.healedAt,
    detail: '',
  });
  const { findings } = judge(draft);
  expect(findings.filter(({ outcome }) => outcome === 'not-shown').map(({ id }) => id)).toContain('I-20');
});

const cases: readonly Case[] = [
  ...recordCases,
  ...moneyCases,
  ...quoteCases,
  ...messageCases,
  ...scheduleCases,
  ...askedCases,
  ...unansweredCases,
];

test.each(cases)('$title: $id', ({ id, also = [], alter }) => {
  const draft = draftOf(clean);
  alter(draft);
  const { breaches } = judge(draft);
  const named = [...new Set(breaches.map((breach) => breach.id))];
  expect(named).toContain(id);
  expect(named.filter((one) => one !== id && !also.includes(one))).toEqual([]);
  for (const breach of breaches) {
    expect(breach.subject).not.toBe('');
    expect(breach.statement).toMatch(/\.$|: /);
  }
});
