// Processes of their own on a test's gateway, so that a test can kill them; above all a worker (worker-program.ts), on
// the test file's task queues and with the run's workflow bundle.
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { SweepOptions } from '../../activities/sweep/sweep.ts';
import type { TestGateway } from './gateway.ts';
import { askFor } from './offers.ts';

export interface WorkerProcessOptions {
  /** Default: as in production, by which what a killed worker left may be found after 45 s only. */
  readonly sweep?: SweepOptions;
  /** Where its log goes; default: nowhere. */
  readonly log?: number;
  /** Default: payments. */
  readonly serves?: 'amqp';
}

/** Resolves when the worker polls. Whoever started it kills it. */
export async function startWorkerProcess(
  gateway: TestGateway,
  codePath: string,
  { sweep = {}, log, serves }: WorkerProcessOptions = {},
): Promise<ChildProcess> {
  const level = log === undefined ? 'silent' : gateway.config.logLevel;
  const child = await startProcess(gateway, 'worker-program', {
    args: [codePath, gateway.taskQueuePrefix, JSON.stringify(sweep), level],
    stdio: ['ignore', log ?? 'ignore', 'inherit', 'ipc'],
    ...(serves && { env: { WORKER_SERVES: serves } }),
  });
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error('the worker process ended before it was ready');
    }),
  ]);
  return child;
}

interface ProcessOptions {
  readonly args?: readonly string[];
  /** Beside where the database and the engine of the gateway are. */
  readonly env?: NodeJS.ProcessEnv;
  readonly stdio: StdioOptions;
}

/** Runs one of the run's built processes on the gateway's database and engine. Whoever started it kills it. */
export async function startProcess(
  { workerConfig, config }: TestGateway,
  name: 'api' | 'worker-program',
  { args = [], env, stdio }: ProcessOptions,
): Promise<ChildProcess> {
  const { dist } = await askFor('processes');
  return spawn(process.execPath, ['--enable-source-maps', join(dist, `${name}.js`), ...args], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: name === 'api' ? config.databaseUrl : workerConfig.databaseUrl,
      TEMPORAL_ADDRESS: config.temporal.address,
      TEMPORAL_NAMESPACE: config.temporal.namespace,
      PUBLIC_URL: config.publicUrl,
      ALLOW_LOOPBACK_CALLBACKS: '1',
      ...env,
    },
    stdio,
  });
}

/** SIGKILL, and waits until it is gone. */
export async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
