// What every command gets from the entry: environment, folders, terminal. Commands read nothing else from the outside.
import type { Environment } from '../core/settings/environment-variables.ts';
import type { Interruption } from './interruption.ts';
import type { Terminal } from './terminal.ts';

export interface CommandContext {
  readonly env: Environment;
  /** Folder of the project. */
  readonly root: string;
  /** `.isthmus`. */
  readonly folder: string;
  readonly terminal: Terminal;
  readonly interruption: Interruption;
}
