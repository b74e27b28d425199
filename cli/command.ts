// What every command gets from the entry: environment, folders, terminal. Commands read nothing else from the outside.
import type { Environment } from '../core/settings/environment-variables.ts';
import type { Terminal } from './terminal.ts';

/** Ctrl-C and its kind, from the first moment of a command to its last. */
export interface Interruption {
  /** From now on the first signal is told here instead of ending the command; the second ends everything at once. */
  handTo(onAsked: (exitCode: number) => void): void;
  /** Whether a signal has come. */
  isAsked(): boolean;
  /** For whoever would end the command while it is being stopped: does not return then. */
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
