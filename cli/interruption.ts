// Ctrl-C and its kind, from the first moment of a command to its last: whatever has been started is stopped before the
// command ends, also while it is still being started. It must not know what the command does.
import { constants } from 'node:os';
import { haltGuarded, killGuarded } from './parts/guard.mjs';

export interface Interruption {
  /** From now on the first signal is told here instead of ending the command; the second ends everything at once. */
  handTo(onAsked: (exitCode: number) => void): void;
  /** Whether a signal has come. */
  isAsked(): boolean;
  /** For whoever would end the command while it is being stopped: does not return then. */
  letStop(): Promise<void>;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Listens from now on. @param say tells a person, once, that everything is being stopped */
export function awaitSignals(say: (line: string) => void): Interruption {
  let onAsked: ((exitCode: number) => void) | undefined;
  let count = 0;
  let stopping: Promise<void> | undefined;

  async function stopAll(code: number): Promise<void> {
    say('▶ Stopping what was started, if anything (Ctrl-C again ends everything at once)');
    await haltGuarded();
    say('✓ Stopped');
    process.exit(code);
  }

  for (const signal of signals) {
    process.on(signal, () => {
      const code = 128 + constants.signals[signal]; // as a shell counts
      count += 1;
      if (count > 1) {
        killGuarded();
        process.exit(code);
      }
      if (onAsked === undefined) stopping = stopAll(code);
      else onAsked(code);
    });
  }
  return {
    handTo: (listener) => (onAsked = listener),
    isAsked: () => count > 0,
    letStop: () => stopping ?? Promise.resolve(),
  };
}
