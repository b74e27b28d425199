// Progress messages of the parts: whole lines, readable in a log file as well as on a terminal.

/** Receives one line without its line end. */
export type Say = (line: string) => void;

/** Prints to standard output. */
export const sayOnTerminal: Say = (line) => void process.stdout.write(`${line}\n`);

/** Seconds with one decimal. @param startedMs a time of `performance.now()` */
export function secondsSince(startedMs: number): string {
  return `${((performance.now() - startedMs) / 1_000).toFixed(1)} s`;
}
