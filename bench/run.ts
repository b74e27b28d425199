// Runs the named benchmark. bench/README.md says what each one measures and what it does not.
import type { CommandContext } from '../cli/command.ts';
import { UsageError } from '../cli/errors.ts';
import { usage } from './options.ts';
import { inThrowawayPlace, type ThrowawayPlace } from '../cli/throwaway.ts';

type Bench = (argv: readonly string[], place: ThrowawayPlace) => Promise<void>;

/** Benchmarks by name. Each is loaded only when it is needed. */
const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  payments: async () => (await import('./payments.ts')).benchPayments,
  xml: async () => (await import('./xml.ts')).benchXml,
  quotes: async () => (await import('./quotes.ts')).benchQuotes,
  limits: async () => (await import('./limits.ts')).benchLimits,
  overload: async () => (await import('./overload.ts')).benchOverload,
};

/**
 * @returns exit code
 * @throws UsageError with the names of all benchmarks, if the name is unknown
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
