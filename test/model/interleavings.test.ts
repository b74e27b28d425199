// Every interleaving of the steps of one payment, with a fault of ours between any two of them, on paper: what a step
// does is the code's own rule, or a statement that statements.test.ts holds to the SQL. MODEL_FAULTS=2 looks at two
// faults at once, and at a fault beside a destination that contradicts itself (2 million states, some minutes).
import { expect, test } from 'vitest';
import { findIn } from './findings.ts';
import type { Rules } from './state.ts';

/** With the number of states and transitions below which the model has lost something. */
const explorations: readonly (readonly [string, Rules, number, number])[] = [
  ['HIGH, with a fault at any moment', { priority: 'HIGH', faults: 1 }, 77_000, 460_000],
  ['NORM, with a fault at any moment', { priority: 'NORM', faults: 1 }, 150_000, 980_000],
  [
    'HIGH, with a destination that contradicts itself',
    { priority: 'HIGH', faults: 0, mayLie: true },
    34_000,
    160_000,
  ],
  [
    'NORM, with a destination that contradicts itself',
    { priority: 'NORM', faults: 0, mayLie: true },
    46_000,
    230_000,
  ],
];

const deeper: typeof explorations = [
  ['HIGH, with two faults', { priority: 'HIGH', faults: 2 }, 270_000, 2_000_000],
  ['NORM, with two faults', { priority: 'NORM', faults: 2 }, 480_000, 4_000_000],
  [
    'HIGH, with a contradiction and a fault',
    { priority: 'HIGH', faults: 1, mayLie: true },
    520_000,
    3_000_000,
  ],
  [
    'NORM, with a contradiction and a fault',
    { priority: 'NORM', faults: 1, mayLie: true },
    740_000,
    4_500_000,
  ],
];

const all = process.env['MODEL_FAULTS'] === '2' ? [...explorations, ...deeper] : explorations;

test.each(all)(
  'in every interleaving all invariants hold, and whatever happened heals: %s',
  { timeout: 300_000 },
  (name, rules, leastStates, leastTransitions) => {
    const { states, transitions, breach } = findIn(rules);
    process.stdout.write(`${name}: ${states} states, ${transitions} transitions\n`);
    expect(breach).toBeUndefined();
    expect(states).toBeGreaterThan(leastStates);
    expect(transitions).toBeGreaterThan(leastTransitions);
  },
);
