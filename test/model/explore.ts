// Visits every state that the steps lead to, breadth first, so that the first state that breaks an invariant is reached
// by a shortest way. Nothing is drawn by chance.
import type { Kind, Step } from './step.ts';

export interface System<State> {
  readonly initial: State;
  readonly keyOf: (state: State) => string;
  readonly stepsOf: (state: State) => readonly Step<State>[];
  /** What a step into a state breaks; undefined: nothing. */
  readonly breachOf: (before: State, after: State) => string | undefined;
}

export interface Exploration<State> {
  readonly states: readonly State[];
  /** Each as three numbers: from, to, and the index of its kind. */
  readonly transitions: readonly number[];
  /** The first breach, with the shortest way to it, step by step; undefined where there is none. */
  readonly breach: { readonly invariant: string; readonly trace: readonly string[] } | undefined;
  /** The shortest way to a state. */
  readonly wayTo: (index: number) => readonly string[];
}

const kinds: readonly Kind[] = ['ours', 'owed', 'choice', 'fault'];

/** @throws if there are more than `most` states: the model has grown beyond what a test can visit */
export function explore<State>(system: System<State>, most = 2_000_000): Exploration<State> {
  const states = [system.initial];
  const found = new Map([[system.keyOf(system.initial), 0]]);
  const cameFrom = [0];
  const cameBy: Step<State>[] = [];
  const transitions: number[] = [];
  const wayTo = (index: number): readonly string[] => {
    const way: string[] = [];
    for (let at = index; at > 0; at = cameFrom[at]!) way.unshift(told(cameBy[at - 1]!));
    return way;
  };
  for (let from = 0; from < states.length; from += 1) {
    const before = states[from]!;
    for (const step of system.stepsOf(before)) {
      const invariant = system.breachOf(before, step.state);
      if (invariant !== undefined)
        return { states, transitions, breach: { invariant, trace: [...wayTo(from), told(step)] }, wayTo };
      const key = system.keyOf(step.state);
      let to = found.get(key);
      if (to === undefined) {
        to = states.push(step.state) - 1;
        if (to > most) throw new Error(`more than ${most} states`);
        found.set(key, to);
        cameFrom.push(from);
        cameBy.push(step);
      }
      if (to !== from) transitions.push(from, to, kinds.indexOf(step.kind));
    }
  }
  return { states, transitions, breach: undefined, wayTo };
}

const told = <State>({ actor, does, kind }: Step<State>) =>
  `${actor} ${does}${kind === 'fault' ? ' (fault)' : ''}`;

/** The first state from which no steps of these kinds lead to a good one, and how many there are. */
export function stuck<State>(
  { states, transitions }: Exploration<State>,
  isGood: (state: State) => boolean,
  by: readonly Kind[],
): readonly number[] {
  const last = new Int32Array(states.length).fill(-1); // for each state the last transition into it, and for each of these the one before
  const before = new Int32Array(transitions.length / 3);
  for (let index = 0; index < before.length; index += 1) {
    if (!by.includes(kinds[transitions[3 * index + 2]!]!)) continue;
    const to = transitions[3 * index + 1]!;
    before[index] = last[to]!;
    last[to] = index;
  }
  const reaches = new Uint8Array(states.length);
  const queue: number[] = [];
  const add = (index: number) => {
    if (reaches[index] === 0) queue.push(index);
    reaches[index] = 1;
  };
  states.forEach((state, index) => {
    if (isGood(state)) add(index);
  });
  for (let to = queue.pop(); to !== undefined; to = queue.pop()) {
    for (let index = last[to]!; index >= 0; index = before[index]!) add(transitions[3 * index]!);
  }
  return states.flatMap((_, index) => (reaches[index] === 0 ? [index] : []));
}
