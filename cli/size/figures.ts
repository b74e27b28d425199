// The numbers that the model is made of, each with its unit and source. figures.json has all of them.
// `npm run bench -- payments --measure-size FILE` writes a file with those that it measured on a machine.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { UserError } from '../errors.ts';
import shipped from './figures.json' with { type: 'json' };

export type FigureName = keyof typeof shipped;

export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly source: string;
}

export type Figures = Readonly<Record<FigureName, Figure>>;

/** Figures that replace the shipped ones, as a benchmark writes them. */
export type Measured = Readonly<
  Partial<Record<FigureName, { readonly value: number; readonly source: string }>>
>;

export const shippedFigures: Figures = shipped;

/** The values alone, for the arithmetic. */
export type Values = Readonly<Record<FigureName, number>>;

export function valuesOf(figures: Figures): Values {
  return Object.fromEntries(Object.entries(figures).map(([name, { value }]) => [name, value])) as Values;
}

export function withMeasured(figures: Figures, measured: Measured): Figures {
  const names = Object.keys(measured) as FigureName[];
  return {
    ...figures,
    ...Object.fromEntries(names.map((name) => [name, { ...figures[name], ...measured[name] }])),
  };
}

const names = Object.keys(shipped) as [FigureName, ...FigureName[]];
const measuredFile = z.partialRecord(
  z.enum(names),
  z.strictObject({ value: z.number().positive(), source: z.string().min(1) }),
);

/** @throws UserError if the file cannot be read, or is not of the form that the benchmark writes */
export function readMeasured(path: string): Measured {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  }
  const parsed = measuredFile.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new UserError(
    `${path} holds no measured figures (${z.prettifyError(parsed.error)}). Make it with npm run bench -- payments --measure-size ${path}.`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
