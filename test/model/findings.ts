// What an exploration of the payment has found, in words: for the tests, and for whoever reads their failure.
import { explore, stuck, type Exploration } from './explore.ts';
import { healing, isGood } from './invariants.ts';
import { paymentModel } from './payment-model.ts';
import type { Rules, State } from './state.ts';

export interface Findings {
  readonly states: number;
  readonly transitions: number;
  /** The invariant that falls, and the shortest way there, a step a line; undefined where all hold. */
  readonly breach: string | undefined;
}

/** Explores to the first breach of an invariant; where there is none, looks for states from which nothing heals. */
export function findIn(rules: Rules): Findings {
  const exploration = explore(paymentModel(rules));
  const { states, transitions, breach } = exploration;
  return {
    states: states.length,
    transitions: transitions.length / 3,
    breach: breach === undefined ? unhealed(exploration) : tell(breach.invariant, breach.trace),
  };
}

function unhealed(exploration: Exploration<State>): string | undefined {
  const [first] = stuck(exploration, isGood, ['ours', 'owed']);
  return first === undefined ? undefined : tell(healing, exploration.wayTo(first));
}

const tell = (invariant: string, trace: readonly string[]) =>
  [invariant, ...trace.map((step, index) => `${index + 1}. ${step}`)].join('\n');
