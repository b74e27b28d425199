// Starts an api or a worker with its own proxies to Postgres and Temporal. A killed process restarts at once,
// as under a process manager in production.
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Say } from '../../cli/parts/progress.ts';
import { supervise, type SupervisedProcess } from '../../cli/parts/supervisor.ts';
import { openFaultProxy, type FaultProxy } from './fault-proxy.ts';

export interface OurProcess {
  readonly name: string;
  readonly kind: 'api' | 'worker';
  /** Base URL of the health endpoints. For an api, it is also the base URL of the api. */
  readonly url: string;
  /** The proxies to Postgres (`database`) and to Temporal (`engine`). */
  readonly database: FaultProxy;
  readonly engine: FaultProxy;
  /** File that contains the error of the process's clock, in milliseconds. */
  readonly clockFile: string;
  pid(): number;
  stop(): Promise<void>;
}

export interface StartProcessOptions {
  readonly name: string;
  readonly kind: OurProcess['kind'];
  /** The port of an api, or the port of a worker's metrics and health endpoints. */
  readonly port: number;
  readonly dist: string;
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  readonly env: Readonly<Record<string, string>>;
  readonly nameServer: string;
  readonly logFolder: string;
  readonly folder: string;
  readonly say: Say;
}

export async function startOurProcess(options: StartProcessOptions): Promise<OurProcess> {
  const { name, kind, port, dist, folder, logFolder, say } = options;
  const database = await openFaultProxy({ target: options.databaseUrl });
  const engine = await openFaultProxy({ target: options.temporalAddress });
  const clockFile = join(folder, `${name}.clock`);
  const supervised: SupervisedProcess = await supervise({
    name,
    args: [
      '--enable-source-maps',
      '--import',
      join(import.meta.dirname, 'surroundings.mjs'),
      join(dist, `${kind}.js`),
    ],
    env: {
      ...options.env,
      NODE_ENV: 'production',
      DATABASE_URL: database.address,
      TEMPORAL_ADDRESS: engine.address,
      CHAOS_CLOCK_FILE: clockFile,
      CHAOS_NAME_SERVER: options.nameServer,
      [kind === 'api' ? 'PORT' : 'METRICS_PORT']: String(port),
    },
    logFile: join(logFolder, `${name}.log`),
    say,
  });
  return {
    name,
    kind,
    url: `http://127.0.0.1:${port}`,
    database,
    engine,
    clockFile,
    pid: () => supervised.pid(),
    stop: async () => {
      await supervised.stop();
      await Promise.all([database.close(), engine.close()]);
    },
  };
}

/**
 * Waits until a condition is true.
 * @throws Error if this takes longer than `timeoutMs`
 */
export async function until(
  what: string,
  isSo: () => Promise<boolean> | boolean,
  timeoutMs: number,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs / 1_000} s: ${what}`);
    await delay(100);
  }
}
