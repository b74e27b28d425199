// A worker with the logger of the worker's own entry, on its standard output, for tests of what becomes of that.
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { startWorker } from '../../activities/start.ts';
import { parseWorkerConfig } from '../../core/config.ts';
import { createLogger } from '../../telemetry/logger.ts';

const [codePath = '', taskQueuePrefix = ''] = process.argv.slice(2);
Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
const config = parseWorkerConfig(process.env);
const logger = createLogger(config.logLevel, 'isthmus-worker'); // as activities/main.ts
await startWorker(config, {
  logger,
  workflowBundle: { codePath },
  taskQueuePrefix,
  sweep: { everyMs: 1_000 },
});
process.send?.('ready');
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL')); // the test is gone
