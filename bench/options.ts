// The command-line options of the benchmarks, and their usage text.
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { UsageError } from '../cli/errors.ts';

/** The text that `--help` prints. */
export const usage = `Usage: npm run bench -- <name> [options]

payments                  payments per second, latency and CPU, beside two empty workflows
  --payments <number>     how many payments of each side (default: 1500)
  --concurrency <number>  how many clients at once (default: 32)
  --json                  one JSON object instead of the table
  --sealed                encrypt stored messages
  --measure-size <file>   write the service times for npm run size -- --measured <file>
  --rate <number>         open loop: so many payments per second; 70%: of the highest rate of a closed loop
  --engine postgres       the Temporal server of production on Postgres, and two apis
  --workers <numbers>     how many workers, such as 2, or 1,2,4 until more bring less than 5 % (default: 1)
  --hosts                 each api and worker in a network namespace (root on Linux)
  --lose-worker           one of the hosts of workers vanishes under load

overload                  payments submitted faster than they can be finished
  --times <number>        how many times the sustainable rate (default: 2)
  --seconds <number>      how long (default: 30)

size                      the model of npm run size, beside the system at three loads
  --payments <number>     how many payments of each load (default: 600)

quotes                    requests per second of the quote and reference routes, beside bare ones

limits                    how one client that sends fifty times its limit slows the others
  --seconds <number>      how long each round takes (default: 10)
  --rounds <number>       how many rounds (default: 5)

xml                       time to parse, validate and read a pacs.008, beside bare libxml2

fill                      fill a database with payments and quotes of past days
  --payments <number>     how many payments (default: 1000000)
  --quotes <number>       how many requests for quotes (default: 10000000)
  --days <number>         over how many days before today, at most 60 (default: 60)

growth                    latency with 1,000 payments beside a filled record, size, time to drop a day; options as for fill
  --rounds <number>       how many rounds; figures are the medians over the rounds (default: 9)
  --times <number>        how often a round runs each operation (default: 150)

bench/README.md says what each one measures, and what it does not.`;

export const help = 'npm run bench -- --help shows the options.';

/** @throws UsageError for an unknown option or a missing value */
export function readOptions<const Options extends NonNullable<ParseArgsConfig['options']>>(
  argv: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...argv], options }).values;
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}. ${help}`);
  }
}

/** @throws UsageError unless the text is an integer from 1, or a number above 0 if fractions are allowed */
export function positive(text: string, option: string, fraction: 'whole' | 'fraction' = 'whole'): number {
  const value = Number(text);
  const fits = fraction === 'whole' ? Number.isInteger(value) && value >= 1 : value > 0 && value < Infinity;
  if (fits) return value;
  throw new UsageError(
    `${option} ${text}: it takes a number ${fraction === 'whole' ? 'from 1 on' : 'above 0'}. ${help}`,
  );
}
