// Output of the commands. Lines are wrapped to the terminal's width. Colours appear only on a terminal, so
// that build logs stay readable.
import { styleText } from 'node:util';
import type { Environment } from '../core/settings/environment-variables.ts';

const styles = {
  heading: 'bold',
  good: 'green',
  bad: 'red',
  warning: 'yellow',
  muted: 'dim',
  name: 'cyan',
} as const;
export type Style = keyof typeof styles;

export const statusStyles: Readonly<Partial<Record<string, Style>>> = {
  ACCC: 'good',
  RJCT: 'bad',
  BLCK: 'warning',
  INDOUBT: 'warning',
};

export interface Terminal {
  /** Maximum columns of a line. */
  readonly width: number;
  /** Prints the text and a line end. The text may have several lines. */
  line(text?: string): void;
  /** Returns the text in a style, or unchanged if colours are off. */
  paint(style: Style, text: string): string;
}

export interface TerminalOptions {
  readonly write: (text: string) => void;
  readonly colours: boolean;
  readonly columns: number | undefined;
}

const logWidth = 120; // columns of a line in a log file, which has no width
const leastWidth = 60; // a narrower terminal wraps the lines itself

/** @internal exported for tests */
export function openTerminal(options: TerminalOptions): Terminal {
  return {
    width: Math.max(leastWidth, options.columns ?? logWidth),
    line: (text = '') => options.write(`${text}\n`),
    paint: (style, text) => (options.colours ? styleText(styles[style], text) : text),
  };
}

/** Opens standard output. It uses colours on a terminal, unless NO_COLOR is set (no-color.org). */
export function standardOutput(env: Environment): Terminal {
  const { stdout } = process;
  return openTerminal({
    write: (text) => void stdout.write(text),
    colours: stdout.isTTY && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb',
    columns: stdout.isTTY ? stdout.columns : undefined,
  });
}

/** Wraps text into lines of at most `width` characters. A longer word gets its own line. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line === '') line = word;
    else if (line.length + 1 + word.length <= width) line += ` ${word}`;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

/** Matches table cells that are numbers or amounts, such as `25,000 THB`. */
const numeric = /^(-|[\d,.]+( [A-Z]{3})?)$/;

/**
 * Formats a table without borders. Each column is as wide as its widest cell, and two spaces separate the
 * columns. Numbers are aligned to the right.
 */
export function renderTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const columns = titles.map((title, index) => ({
    width: Math.max(title.length, ...rows.map((row) => row[index]?.length ?? 0)),
    isNumeric: rows.every((row) => numeric.test(row[index] ?? '')) && rows.some((row) => row[index] !== '-'),
  }));
  const renderRow = (cells: readonly string[]) =>
    columns
      .map(({ width, isNumeric }, index) => {
        const cell = cells[index] ?? '';
        return isNumeric ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  return [titles, ...rows].map(renderRow);
}

/** Formats a decimal string for display: `24900.5` becomes `24,900.50`. Whole amounts get no decimals. */
export function showAmount(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.');
  const grouped = BigInt(whole).toLocaleString('en-US');
  return fraction === undefined || /^0*$/.test(fraction) ? grouped : `${grouped}.${fraction.padEnd(2, '0')}`;
}
