// What `npm run where` can name: the addresses and process numbers of a running demo that a script may want.
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

/** @returns undefined when the demo has no such thing, as the UI of a Temporal server that is not ours */
export function placeIn(run: RunFile, place: Place): string | undefined {
  return valueOf[place](run);
}
