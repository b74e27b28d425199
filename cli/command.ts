// The context that the entry gives to every command: environment, folders, terminal. Commands read no other global
// state.
import type { Environment } from '../core/settings/environment-variables.ts';
import type { Terminal } from './terminal.ts';

/** Ctrl-C and similar signals, from the start of a command to its end. */
export interface Interruption {
  /**
   * From now on, the first signal calls `onAsked` and no longer ends the command. The second signal kills everything.
   */
  handTo(onAsked: (exitCode: number) => void): void;
  /** Whether a signal has arrived. */
  isAsked(): boolean;
  /** Await this before ending the command. If a signal is already stopping it, the promise does not settle. */
  letStop(): Promise<void>;
}

export interface CommandContext {
  readonly env: Environment;
  /** Folder of the project. */
  readonly root: string;
  /** `.isthmus`. */
  readonly folder: string;
  readonly terminal: Terminal;
  readonly interruption: Interruption;
}
