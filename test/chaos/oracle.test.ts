// The oracle of chaos/: it finds nothing in the evidence of a clean run, and names what is altered in it. Each case
// stands for a mistake that somebody could make in the product; `also` are invariants that the same mistake breaks with
// it.
import { expect, test } from 'vitest';
import { judge } from '../../chaos/oracle/judge.ts';
import { readEvidence } from '../../chaos/oracle/read-evidence.ts';
import { addAttempt, attempts, draftOf, moved, row, rows, silent, type Case, type Draft } from './altered.ts';
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

test('a delivery that was asked for again begins its schedule anew: the next attempt is due after one failure, not two', () => {
  const draft = draftOf(clean);
  const callback = rows(draft, 'deliveries').find(
    (one) => one['kind'] === 'callback' && one['asks'] === '2' && one['attempts'] === '2',
  );
  const uetr = String(callback?.['subject_id']);
  const [, again] = attempts(draft, uetr, 'callback');
  if (again === undefined) throw new Error('a callback that was asked for twice was attempted twice');
  const [askedAt, laterMs] = [String(again['started_at']), 12_000]; // the database was away meanwhile
  Object.assign(again, {
    http_status: '503',
    started_at: moved(askedAt, laterMs),
    finished_at: moved(askedAt, laterMs + 20),
  });
  const next = addAttempt(draft, uetr, 'callback', 1_200);
  next['http_status'] = '200';
  draft.faults.push({
    name: 'database-crashes',
    target: 'database',
    beganAt: moved(askedAt, -100),
    endedAt: moved(askedAt, laterMs),
    detail: '',
  });
  expect(judge(draft).breaches.filter(({ id }) => id === 'I-12')).toEqual([]);
});

test('a quote that was made older afterwards is not held against the rates of that time (QUO-6)', () => {
  const draft = draftOf(clean);
  const request = row(draft, 'quote_requests', { amount: '24900' });
  const exchange = draft.exchanges.find(({ path }) => path.includes('/THB/24900?'));
  if (exchange === undefined) throw new Error('the clean run asks for it');
  const issuedAt = String(request['issued_at']);
  exchange.purpose = 'quote-to-expire';
  request['issued_at'] = moved(issuedAt, -660_000);
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

/** Of an FX provider of whom nobody wanted a quote, all the time. */
function breakSomebodyElse(draft: Draft): void {
  draft.faults.push({
    name: 'fxp-is-silent',
    target: 'fxp/ORBIDES0',
    beganAt: draft.run.startedAt,
    endedAt: draft.run.gatheredAt,
    detail: '',
  });
}

/** What is judged while nothing that concerns it was broken: what these ids name first. */
const excused = /^(?:I-[678]|I-1[267]|R:(?:CBK|RES|TIM)-\d+)$/;

test.each(cases.filter(({ id }) => excused.test(id)))(
  '$title: $id, also while somebody is broken who has nothing to do with it (CBK-3)',
  ({ id, alter }) => {
    const draft = draftOf(clean);
    alter(draft);
    breakSomebodyElse(draft);
    expect(judge(draft).breaches.map((breach) => breach.id)).toContain(id);
  },
);
