// A step of the model: one atomic statement, one message that arrives, one thing that a process learns or forgets.
import type { Rules, State } from './state.ts';

/**
 * Who makes it happen: we, by what the code does; the parties or the passing of time, by what they owe; a party by its
 * own choice, on which nothing may rest; or a fault, which may come at any moment and ends.
 */
export type Kind = 'ours' | 'owed' | 'choice' | 'fault';

export interface Step<After> {
  readonly kind: Kind;
  readonly actor: string;
  readonly does: string;
  readonly state: After;
}

/** Takes a step of an actor; undefined changes: it is not possible now. */
export type Go = (kind: Kind, actor: string, does: string, changes: Partial<State> | undefined) => void;

/** The steps of one actor that a state allows. */
export type Actor = (state: State, rules: Rules, go: Go) => void;
