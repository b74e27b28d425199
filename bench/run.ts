// Runs the named benchmark. bench/README.md says what each benchmark measures and what it does not measure.
import type { CommandContext } from '../cli/command.ts';
import { UsageError } from '../cli/errors.ts';
import { usage } from './options.ts';
import { inThrowawayPlace, type ThrowawayPlace } from '../cli/throwaway.ts';

type Bench = (argv: readonly string[], place: ThrowawayPlace) => Promise<void>;

/** The benchmarks by name. A benchmark's code is loaded only when the benchmark runs. */
const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  payments: async () => (await import('./payments.ts')).benchPayments,
  xml: async () => (await import('./xml.ts')).benchXml,
  quotes: async () => (await import('./quotes.ts')).benchQuotes,
  limits: async () => (await import('./limits.ts')).benchLimits,
  fill: async () => (await import('./fill.ts')).benchFill,
  growth: async () => (await import('./growth.ts')).benchGrowth,
  overload: async () => (await import('./overload.ts')).benchOverload,
  size: async () => (await import('./size.ts')).benchSize,
};

/**
 * @returns the exit code
 * @throws UsageError if the name is unknown; the message lists all benchmarks
 */
export async function bench(
  context: CommandContext,
  name: string | undefined,
  argv: readonly string[],
): Promise<number> {
  if ([name, ...argv].some((one) => one === '--help' || one === '-h')) {
    context.terminal.line(usage);
    return 0;
  }
  const load = benches[name ?? ''];
  if (name === undefined || load === undefined) {
    const asked = name === undefined ? 'Name a benchmark.' : `There is no benchmark ${name}.`;
    throw new UsageError(
      `${asked} Run npm run bench -- <name>, with one of: ${Object.keys(benches).join(', ')}.`,
    );
  }
  const run = await load();
  return inThrowawayPlace(context, { kind: 'bench', name }, async (place) => {
    await run(argv, place);
    return 0;
  });
}
