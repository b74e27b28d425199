// The addresses and process ids of a running demo that `npm run where` can print for a script.
import { paymentsUrl, type RunFile } from './run-file.ts';

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

export type Place = keyof typeof valueOf;

export const places = Object.keys(valueOf) as readonly Place[];

/** @returns undefined if the demo does not have it, such as the UI of an external Temporal server */
export function placeIn(run: RunFile, place: Place): string | undefined {
  return valueOf[place](run);
}
