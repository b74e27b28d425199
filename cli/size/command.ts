// The command `isthmus size`: reads the options, sizes, prints.
import { UsageError } from '../errors.ts';
import type { Terminal } from '../terminal.ts';
import { readMeasured, shippedFigures, withMeasured } from './figures.ts';
import { daySeconds } from './limits.ts';
import { printSizing } from './show.ts';
import { sizeFor } from './size.ts';

export interface SizeOptions {
  readonly rate: string;
  readonly systems?: string;
  readonly aDay?: string;
  readonly measured?: string;
  readonly json?: true;
}

const mostPerSecond = 20_000; // more would take the model minutes
const mostSystems = 1_000;

export function size(terminal: Terminal, { rate, systems, aDay, measured, json }: SizeOptions): void {
  const perSecond = wholeNumber('--rate', rate, mostPerSecond);
  const ofMachine = measured === undefined ? {} : readMeasured(measured);
  const figures = withMeasured(shippedFigures, {
    ...ofMachine,
    ...(systems !== undefined && {
      systems: { value: wholeNumber('--systems', systems, mostSystems), source: '--systems' },
    }),
    ...(aDay !== undefined && {
      dayShare: {
        value: wholeNumber('--a-day', aDay, perSecond * daySeconds) / (perSecond * daySeconds),
        source: '--a-day',
      },
    }),
  });
  const sizing = sizeFor(perSecond, figures);
  if (json) terminal.line(JSON.stringify(sizing));
  else printSizing(terminal, sizing);
}

function wholeNumber(option: string, text: string, most: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new UsageError(`${option} ${text}: it takes a whole number from 1 to ${most}.`);
}
