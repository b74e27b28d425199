// Postgres and Temporal for a run. A fault can kill them and restart them with the same files. A restarted
// server listens on another port, behind the same proxies.
import { join } from 'node:path';
import { startPostgres, type RunningPostgres } from '../../cli/parts/postgres.ts';
import type { Say } from '../../cli/parts/progress.ts';
import { startTemporal, type RunningTemporal } from '../../cli/parts/temporal.ts';
import { searchAttributes } from '../../contract/ids.ts';
import type { Environment } from '../../core/settings/environment-variables.ts';

export interface Servers {
  database(): RunningPostgres;
  engine(): RunningTemporal;
  /** Stops Postgres immediately, as a crash does. At the next start, Postgres recovers from its log. */
  stopDatabase(): Promise<void>;
  startDatabase(): Promise<void>;
  /** Kills Temporal with kill -9. */
  stopEngine(): Promise<void>;
  startEngine(): Promise<void>;
  stop(): Promise<void>;
}

export interface StartServersOptions {
  readonly env: Environment;
  readonly folder: string;
  readonly binFolder: string;
  readonly say: Say;
  /** Settings of Postgres beside its usual ones. */
  readonly postgresSettings?: Readonly<Record<string, string>>;
  /** Called after each restart, with the server's new address. */
  readonly onMoved: (server: 'database' | 'engine', address: string) => void;
}

export const databaseName = 'isthmus_chaos';

export async function startServers(options: StartServersOptions): Promise<Servers> {
  const { folder, binFolder, say, onMoved } = options;
  // A run under faults must never use the servers that the user configured.
  const env = { ...options.env, DATABASE_URL: '', TEMPORAL_ADDRESS: '' };
  const quiet: Say = () => undefined;
  const beginDatabase = (tell: Say) =>
    startPostgres({
      env,
      folder: join(folder, 'servers'),
      database: databaseName,
      ...(options.postgresSettings && { furtherSettings: options.postgresSettings }),
      say: tell,
    });
  const beginEngine = (tell: Say) =>
    startTemporal({
      env,
      folder: join(folder, 'servers'),
      binFolder,
      storage: 'file',
      searchAttributes: Object.values(searchAttributes),
      ui: false,
      say: tell,
    });
  const started = await Promise.allSettled([beginDatabase(say), beginEngine(say)]);
  const failed = started.find((one) => one.status === 'rejected');
  if (failed !== undefined) {
    for (const one of started) if (one.status === 'fulfilled') await one.value.stop();
    throw failed.reason;
  }
  let [database, engine] = started.map((one) => (one as PromiseFulfilledResult<unknown>).value) as [
    RunningPostgres,
    RunningTemporal,
  ];
  return {
    database: () => database,
    engine: () => engine,
    stopDatabase: async () => {
      // SIGQUIT stops Postgres without a checkpoint. A kill -9 would leave its child processes behind.
      end(database.pid, 'SIGQUIT');
      await database.exited;
    },
    startDatabase: async () => {
      database = await beginDatabase(quiet);
      onMoved('database', database.url);
    },
    stopEngine: async () => {
      end(engine.pid, 'SIGKILL');
      await engine.exited;
    },
    startEngine: async () => {
      engine = await beginEngine(quiet);
      onMoved('engine', engine.address);
    },
    stop: async () => {
      await engine.stop();
      await database.stop();
    },
  };
}

function end(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) throw new Error('a server that is not ours is never killed');
  process.kill(pid, signal);
}
