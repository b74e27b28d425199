// A worker in a process of its own, so that a test can kill it. As the child it starts what the worker's own entry
// starts, on the test file's task queues and with the run's workflow bundle.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { pino } from 'pino';
import { startWorker } from '../../activities/start.ts';
import type { SweepOptions } from '../../activities/sweep/sweep.ts';
import { parseWorkerConfig } from '../../core/config.ts';
import type { TestGateway } from './gateway.ts';

const self = fileURLToPath(import.meta.url);

/**
 * Resolves when the worker polls. Whoever started it kills it.
 * @param sweep default: as in production, by which what a killed worker left may be found after 45 s only
 */
export async function startWorkerProcess(
  gateway: TestGateway,
  codePath: string,
  sweep: SweepOptions = {},
): Promise<ChildProcess> {
  const { databaseUrl, config, taskQueuePrefix } = gateway;
  const args = [self, codePath, taskQueuePrefix, JSON.stringify(sweep)];
  const child = spawn(process.execPath, ['--import', 'tsx', ...args], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: config.temporal.address,
      TEMPORAL_NAMESPACE: config.temporal.namespace,
      PUBLIC_URL: config.publicUrl,
      ALLOW_LOOPBACK_CALLBACKS: '1',
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error('the worker process ended before it was ready');
    }),
  ]);
  return child;
}

/** SIGKILL, and waits until it is gone. */
export async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

if (process.argv[1] === self) {
  const [codePath = '', taskQueuePrefix = '', sweep = ''] = process.argv.slice(2);
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  const logger = pino({ level: 'silent' });
  await startWorker(parseWorkerConfig(process.env), {
    logger,
    workflowBundle: { codePath },
    taskQueuePrefix,
    sweep: JSON.parse(sweep) as SweepOptions,
  });
  process.send?.('ready');
  process.once('disconnect', () => process.exit(1)); // the test is gone
}
