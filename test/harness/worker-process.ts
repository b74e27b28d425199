// Processes of their own on a test's gateway, so that a test can kill them; above all a worker: as the child it starts
// what the worker's own entry starts, on the test file's task queues and with the run's workflow bundle.
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { startWorker } from '../../activities/start.ts';
import type { SweepOptions } from '../../activities/sweep/sweep.ts';
import { parseWorkerConfig } from '../../core/config.ts';
import { createLogger } from '../../telemetry/logger.ts';
import type { TestGateway } from './gateway.ts';

const self = fileURLToPath(import.meta.url);

export interface WorkerProcessOptions {
  /** Default: as in production, by which what a killed worker left may be found after 45 s only. */
  readonly sweep?: SweepOptions;
  /** Where its log goes; default: nowhere. */
  readonly log?: number;
}

/** Resolves when the worker polls. Whoever started it kills it. */
export async function startWorkerProcess(
  gateway: TestGateway,
  codePath: string,
  { sweep = {}, log }: WorkerProcessOptions = {},
): Promise<ChildProcess> {
  const level = log === undefined ? 'silent' : gateway.config.logLevel;
  const child = startProcess(gateway, import.meta.url, {
    args: [codePath, gateway.taskQueuePrefix, JSON.stringify(sweep), level],
    stdio: ['ignore', log ?? 'ignore', 'inherit', 'ipc'],
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

/** Runs a module on the gateway's database and engine. Whoever started it kills it. */
export function startProcess(
  { databaseUrl, config }: TestGateway,
  moduleUrl: string,
  { args = [], env, stdio }: ProcessOptions,
): ChildProcess {
  return spawn(process.execPath, ['--import', 'tsx', fileURLToPath(moduleUrl), ...args], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: databaseUrl,
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

if (process.argv[1] === self) {
  const [codePath = '', taskQueuePrefix = '', sweep = '', level = ''] = process.argv.slice(2);
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  const logger = createLogger(level, 'isthmus-worker'); // as activities/main.ts
  await startWorker(parseWorkerConfig(process.env), {
    logger,
    workflowBundle: { codePath },
    taskQueuePrefix,
    sweep: JSON.parse(sweep) as SweepOptions,
  });
  process.send?.('ready');
  process.once('disconnect', () => process.exit(1)); // the test is gone
}
