// What the benchmarks are told on the command line.
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { UserError } from '../cli/errors.ts';

const help = 'bench/README.md says what each benchmark takes.';

/** @throws UserError for an option that there is none of, or that lacks its value */
export function readOptions<const Options extends NonNullable<ParseArgsConfig['options']>>(
  argv: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...argv], options }).values;
  } catch (error) {
    throw new UserError(`${error instanceof Error ? error.message : String(error)}. ${help}`);
  }
}

/** @throws UserError unless the text is a number from 1 on, or above 0 where a fraction will do */
export function positive(text: string, option: string, fraction: 'whole' | 'fraction' = 'whole'): number {
  const value = Number(text);
  const fits = fraction === 'whole' ? Number.isInteger(value) && value >= 1 : value > 0 && value < Infinity;
  if (fits) return value;
  throw new UserError(
    `${option} ${text}: it takes a number ${fraction === 'whole' ? 'from 1 on' : 'above 0'}. ${help}`,
  );
}
