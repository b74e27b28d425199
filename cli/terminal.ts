// Output of the commands: whole lines, wrapped to the terminal's width. Only a terminal gets colours, so that build
// logs stay readable.
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
  /** Prints one line, or several if the text contains line ends. */
  line(text?: string): void;
  /** The text in a style; unchanged if colours are off. */
  paint(style: Style, text: string): string;
}

export interface TerminalOptions {
  readonly write: (text: string) => void;
  readonly colours: boolean;
  readonly columns: number | undefined;
}

const logWidth = 120; // a log file has no width
const leastWidth = 60; // in a narrower terminal, its own wrapping is better than ours

/** @internal exported for tests */
export function openTerminal(options: TerminalOptions): Terminal {
  return {
    width: Math.max(leastWidth, options.columns ?? logWidth),
    line: (text = '') => options.write(`${text}\n`),
    paint: (style, text) => (options.colours ? styleText(styles[style], text) : text),
  };
}

/** Standard output, with colours on a terminal unless NO_COLOR is set (no-color.org). */
export function standardOutput(env: Environment): Terminal {
  const { stdout } = process;
  return openTerminal({
    write: (text) => void stdout.write(text),
    colours: stdout.isTTY && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb',
    columns: stdout.isTTY ? stdout.columns : undefined,
  });
}

/** Wraps words into lines of at most `width` characters. A longer word gets a separate line. */
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

/** Numbers and amounts: `25,000 THB`. */
const numeric = /^(-|[\d,.]+( [A-Z]{3})?)$/;

/** A table without borders: columns as wide as their widest cell, two spaces between; numbers to the right. */
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

/** Formats decimal text for a person: `24900.5` becomes `24,900.50`; whole amounts have no decimals. */
export function showAmount(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.');
  const grouped = BigInt(whole).toLocaleString('en-US');
  return fraction === undefined || /^0*$/.test(fraction) ? grouped : `${grouped}.${fraction.padEnd(2, '0')}`;
}
