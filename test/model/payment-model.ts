// The model of one payment: all actors together, and what is checked of them.
import { condense, type Draft } from './condensed.ts';
import { deciders } from './deciding.ts';
import { executions, judges, sweeps } from './executing.ts';
import type { System } from './explore.ts';
import { breachOf } from './invariants.ts';
import { clock, deliveries, destination, source } from './parties.ts';
import { senders } from './sending.ts';
import { initial, keyOf, type Rules, type State } from './state.ts';
import type { Step } from './step.ts';

const actors = [source, judges, executions, senders, deciders, destination, deliveries, sweeps, clock];

export function paymentModel(rules: Rules): System<State> {
  return {
    initial,
    keyOf,
    stepsOf: (state) => {
      const steps: Step<State>[] = [];
      for (const actor of actors) {
        actor(state, rules, (kind, who, does, changes) => {
          if (changes === undefined) return;
          if (kind === 'fault' && (state.faults >= rules.faults || !who.startsWith(rules.faultsOf ?? '')))
            return;
          const draft: Draft = { ...state, ...changes };
          if (kind === 'fault') draft.faults = (state.faults + 1) as State['faults'];
          steps.push({ kind, actor: who, does, state: condense(draft, rules) });
        });
      }
      return steps;
    },
    breachOf: (before, after) => breachOf(before, after, rules),
  };
}
