// Command-line options of the benchmarks.
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { UserError } from '../cli/errors.ts';

const help = 'bench/README.md says what each benchmark takes.';

/** @throws UserError for an unknown option, or one without its value */
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

/** @throws UserError unless the text is an integer from 1, or a number above 0 if fractions are allowed */
export function positive(text: string, option: string, fraction: 'whole' | 'fraction' = 'whole'): number {
  const value = Number(text);
  const fits = fraction === 'whole' ? Number.isInteger(value) && value >= 1 : value > 0 && value < Infinity;
  if (fits) return value;
  throw new UserError(
    `${option} ${text}: it takes a number ${fraction === 'whole' ? 'from 1 on' : 'above 0'}. ${help}`,
  );
}
