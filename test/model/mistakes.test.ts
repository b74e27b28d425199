// The model has teeth: without any one of its guards, an invariant falls, and the shortest way there names it.
import { expect, test } from 'vitest';
import { findIn } from './findings.ts';
import { mistakes, type Mistake } from './mistakes.ts';
import type { Rules } from './state.ts';

/** The invariant that falls, and where to look for it. */
const falls: Readonly<Record<Mistake, readonly [string, Rules]>> = {
  'a stored final is not looked at': ['I-18', { priority: 'HIGH', faults: 0 }],
  'the last final wins': ['I-18', { priority: 'NORM', faults: 0, mayLie: true }],
  'no compare-and-set of the decision': ['I-5', { priority: 'HIGH', faults: 0 }],
  'rejects what may have been sent': ['TIM-3', { priority: 'NORM', faults: 0 }],
  'rejects what was never tried': ['TIM-3', { priority: 'NORM', faults: 0 }],
  'no intent before the socket opens': ['TIM-3', { priority: 'NORM', faults: 0 }],
  'a timeout counts as NOT_SENT': ['TIM-3', { priority: 'NORM', faults: 0 }],
  'sends without looking at the deadline': ['I-19', { priority: 'HIGH', faults: 0 }],
  'a decision leaves the instruction open': ['I-8', { priority: 'HIGH', faults: 0 }],
  "the deadline by the engine's clock": ['TIM-1', { priority: 'HIGH', faults: 0 }],
  'no negative confirmation at the deadline': ['I-4', { priority: 'HIGH', faults: 0 }],
  'withdraws a confirmation that was due': ['I-4', { priority: 'HIGH', faults: 0 }],
  'no unique key of a payment': ['I-8', { priority: 'HIGH', faults: 1, faultsOf: 'judgement' }],
  'composes the instruction anew for each send': ['I-2', { priority: 'HIGH', faults: 0 }],
  'a second fxtr.017': ['I-5', { priority: 'HIGH', faults: 0 }],
  'answers before anything is stored': ['PAY-2', { priority: 'HIGH', faults: 0 }],
  'no sweep': ['I-15', { priority: 'HIGH', faults: 1, faultsOf: 'submission', says: ['ACCC'] }],
  'the sweep looks for no stored finals': [
    'I-15',
    { priority: 'NORM', faults: 1, faultsOf: 'report', says: ['ACCC'] },
  ],
  'the sweep looks for no contradictions': [
    'I-15',
    { priority: 'HIGH', faults: 1, faultsOf: 'send', says: ['ACCC'] },
  ],
  'the sweep looks for no deliveries': [
    'I-15',
    { priority: 'HIGH', faults: 1, faultsOf: 'execution', says: ['ACCC'] },
  ],
};

test.each(mistakes)('a model with this mistake is caught, by the name of what falls: %s', (mistake) => {
  const [invariant, rules] = falls[mistake];
  const { breach = 'nothing falls', states } = findIn({ ...rules, mistake });
  process.stdout.write(`${mistake} (${rules.priority}), after ${states} states: ${breach}\n\n`);
  expect(breach).toMatch(new RegExp(`^${invariant}: .*\n1\\. `));
});
