// The context that cli/command-line.ts passes to every command: environment, folders, terminal. Commands read
// no other global state.
import type { Environment } from '../core/settings/environment-variables.ts';
import type { Terminal } from './terminal.ts';

/** Handles Ctrl-C and similar signals while a command runs. */
export interface Interruption {
  /**
   * From now on, the first signal calls `onAsked` and no longer ends the command. The second signal kills the
   * command and its processes.
   */
  handTo(onAsked: (exitCode: number) => void): void;
  /** Whether a signal has arrived. */
  isAsked(): boolean;
  /**
   * Must be awaited before the command ends. If a signal is already stopping the processes, the promise never
   * settles, because the signal handler ends the command.
   */
  letStop(): Promise<void>;
}

export interface CommandContext {
  readonly env: Environment;
  /** Root folder of the project. */
  readonly root: string;
  /** Folder of data and logs; default: `.isthmus`. */
  readonly folder: string;
  readonly terminal: Terminal;
  readonly interruption: Interruption;
}
