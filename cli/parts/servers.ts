// Starts Postgres and Temporal in parallel for a command, and stops them in reverse order.
import { join } from 'node:path';
import type { Environment } from '../../core/settings/environment-variables.ts';
import { defaultPostgresPort, startPostgres, type RunningPostgres } from './postgres.ts';
import type { Say } from './progress.ts';
import {
  defaultTemporalPorts,
  startTemporal,
  type RunningTemporal,
  type SearchAttributes,
} from './temporal.ts';

export interface StartServersOptions {
  readonly env: Environment;
  /** `.isthmus`: data, logs, fetched binaries. */
  readonly folder: string;
  readonly searchAttributes: SearchAttributes;
  readonly say: Say;
}

export interface RunningServers {
  readonly postgres: RunningPostgres;
  readonly temporal: RunningTemporal;
  /** Resolves when one of our servers has ended, with its name, the reason and its log file. */
  readonly exited: Promise<string>;
  stop(): Promise<void>;
}

/**
 * The caller must own the folder (claim.ts).
 * @throws TemporalNotFoundError; Error with a log's end. It stops both servers before it throws.
 */
export async function startServers(options: StartServersOptions): Promise<RunningServers> {
  const [postgres, temporal] = await Promise.allSettled([
    startPostgres({ ...options, database: 'isthmus', preferredPort: defaultPostgresPort }),
    startTemporal({
      ...options,
      binFolder: join(options.folder, 'bin'),
      storage: 'file',
      ui: true,
      preferredPorts: defaultTemporalPorts,
    }),
  ]);
  if (postgres.status === 'fulfilled' && temporal.status === 'fulfilled') {
    return {
      postgres: postgres.value,
      temporal: temporal.value,
      exited: Promise.race([endOf('Postgres', postgres.value), endOf('The Temporal server', temporal.value)]),
      stop: async () => {
        await temporal.value.stop();
        await postgres.value.stop();
      },
    };
  }
  for (const one of [temporal, postgres]) if (one.status === 'fulfilled') await one.value.stop();
  throw [postgres, temporal].find((one) => one.status === 'rejected')?.reason;
}

async function endOf(
  name: string,
  { exited, logFile }: Pick<RunningPostgres, 'exited' | 'logFile'>,
): Promise<string> {
  const how = await exited;
  return `${name} has ended: ${how}.${logFile === undefined ? '' : ` Its log is ${logFile}.`}`;
}
