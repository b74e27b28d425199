// `npm run where`: prints the addresses and actual ports of the demo that uses this folder. Commands in the
// documents use it, so that they never reach another Isthmus on the same machine.
import { printAddresses } from './addresses.ts';
import type { CommandContext } from '../command.ts';
import { UsageError, UserError } from '../errors.ts';
import { findRunningDemo, paymentsUrl, type RunFile } from './run-file.ts';

const valueOf = {
  api: (run) => run.apiUrl,
  'temporal-ui': paymentsUrl,
  temporal: (run) => run.temporalAddress,
  postgres: (run) => run.databaseUrl,
  journals: (run) => run.journalDirectory,
  logs: (run) => run.logDirectory,
  'api-metrics': (run) => run.metrics.api,
  'worker-metrics': (run) => run.metrics.worker,
  'api-pid': (run) => run.pids['api']?.toString(),
  'worker-pid': (run) => run.pids['worker']?.toString(),
  'sandbox-pid': (run) => run.pids['sandbox']?.toString(),
} as const satisfies Record<string, (run: RunFile) => string | undefined>;

type Place = keyof typeof valueOf;

export const places = Object.keys(valueOf) as readonly Place[];

/**
 * @returns undefined if the demo lacks that address, such as the UI of an external Temporal server
 * @internal exported for tests
 */
export function placeIn(run: RunFile, place: Place): string | undefined {
  return valueOf[place](run);
}

/**
 * Prints all addresses, or only the named one.
 * @throws UsageError for an unknown name; UserError if no demo uses the folder or the demo lacks that address
 */
export async function where({ folder, terminal }: CommandContext, name: string | undefined): Promise<void> {
  const place = places.find((one) => one === name);
  if (name !== undefined && place === undefined) throw new UsageError(hasNo(name));
  const run = await findRunningDemo(folder);
  if (name === undefined) {
    printAddresses(terminal, run);
    return;
  }
  const value = place && placeIn(run, place);
  if (value === undefined) throw new UserError(hasNo(name));
  terminal.line(value);
}

const hasNo = (name: string) => `The demo has no ${name}. Name one of: ${places.join(', ')}.`;
