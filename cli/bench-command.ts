// `npm run bench -- <name>`: hands over to one benchmark. bench/README.md says what each one measures and what it does not.
import { UserError } from './errors.ts';

/** By name; loaded when it is asked for. */
const benches: Readonly<Record<string, () => Promise<(argv: readonly string[]) => Promise<void>>>> = {
  payments: async () => (await import('../bench/payments.ts')).benchPayments,
  xml: async () => (await import('../bench/xml.ts')).benchXml,
  quotes: async () => (await import('../bench/quotes.ts')).benchQuotes,
};

/** @throws UserError naming the benchmarks when there is none of that name */
export async function bench(name: string | undefined, argv: readonly string[]): Promise<void> {
  const load = benches[name ?? ''];
  if (load === undefined) {
    const asked = name === undefined ? 'Which one?' : `There is no benchmark ${name}.`;
    throw new UserError(
      `${asked} Run npm run bench -- <name>, with one of: ${Object.keys(benches).join(', ')}.`,
    );
  }
  const run = await load();
  await run(argv);
}
