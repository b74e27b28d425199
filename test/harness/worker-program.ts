// A worker in a process of its own (worker-process.ts): it starts what the worker's own entry starts, on the task
// queues of a test file.
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { startWorker } from '../../activities/start.ts';
import type { SweepOptions } from '../../activities/sweep/sweep.ts';
import { parseWorkerConfig } from '../../core/settings/config.ts';
import { createLogger } from '../../telemetry/logger.ts';

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
