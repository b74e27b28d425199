// How the parts tell a person what they are doing: whole lines, so that a log file reads as well as a terminal.

/** Receives one line without its line end. */
export type Say = (line: string) => void;

/** Prints to standard output. */
export const sayOnTerminal: Say = (line) => void process.stdout.write(`${line}\n`);

/** Seconds with one decimal since a moment of `performance.now()`. */
export function secondsSince(startedMs: number): string {
  return `${((performance.now() - startedMs) / 1_000).toFixed(1)} s`;
}
