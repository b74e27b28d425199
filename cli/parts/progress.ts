// Progress messages of cli/parts. They are whole lines, so that they are readable in a log file too.

/** Prints one progress line. The text has no line end. */
export type Say = (line: string) => void;

/** Prints the line to standard output. */
export const sayOnTerminal: Say = (line) => void process.stdout.write(`${line}\n`);

/** Formats the elapsed seconds with one decimal. @param startedMs a time of `performance.now()` */
export function secondsSince(startedMs: number): string {
  return `${((performance.now() - startedMs) / 1_000).toFixed(1)} s`;
}
