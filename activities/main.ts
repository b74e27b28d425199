// The entry of the worker process: reads the configuration, and runs the task queues until a signal stops the
// process.
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import {
  Runtime,
  type WorkflowBundleOption,
  DefaultLogger,
  makeTelemetryFilterString,
  type Logger,
  type LogLevel,
} from '@temporalio/worker';
import { parseWorkerConfig } from '../core/settings/config.ts';
import { ConfigurationError } from '../core/settings/environment-variables.ts';
import { withFiles } from '../core/settings/settings.ts';
import { createLogger } from '../telemetry/logger.ts';
import { openTraces } from '../telemetry/open-traces.ts';
import { startWorker } from './start.ts';
import type { Logger as PinoLogger } from 'pino';

/**
 * The workflow code: the bundle named by the first argument, or the bundle beside this file in a built image.
 */
function workflowBundle(): WorkflowBundleOption {
  const [named] = process.argv.slice(2);
  const codePath = named ?? fileURLToPath(new URL('workflow-bundle.js', import.meta.url));
  if (existsSync(codePath)) return { codePath };
  throw new ConfigurationError(
    `no workflow bundle at ${codePath}; "npm run bundle" makes one in dist/, where "node dist/worker.js" finds it`,
  );
}

/**
 * A free loopback port where the core of the Temporal SDK serves its metrics, and a function that reads them.
 */
async function sdkMetricsAt(): Promise<{ readonly address: string; readonly read: () => Promise<string> }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  const address = `127.0.0.1:${port}`;
  return { address, read: async () => (await fetch(`http://${address}/metrics`)).text() };
}

async function main(): Promise<void> {
  const config = parseWorkerConfig(withFiles(process.env, (path) => readFileSync(path, 'utf8')));
  const traces = await openTraces(config.traces, 'isthmus-worker', () => logger);
  const logger = createLogger(config.logLevel, 'isthmus-worker', traces?.logFields);
  const sdkMetrics = config.metrics && (await sdkMetricsAt());
  Runtime.install({
    logger: sdkLogger(logger),
    telemetryOptions: {
      // The core of the Temporal SDK logs through the same logger.
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'WARN' }) },
      ...(sdkMetrics && { metrics: { prometheus: { bindAddress: sdkMetrics.address } } }),
    },
    shutdownSignals: [], // The code below handles the signals.
  });
  const worker = await startWorker(config, {
    logger,
    workflowBundle: workflowBundle(),
    traces,
    ...(sdkMetrics && { sdkMetrics: sdkMetrics.read }),
  });
  let isStopping = false;
  const stop = () => {
    if (isStopping) return;
    isStopping = true;
    logger.info('stopping');
    void worker.shutdown().catch(() => undefined); // The end of this function reports the failure.
  };
  // Ignore a second signal, because the process group and the parent may each send one.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
  // Logged after the handlers are set, because a reader of the log may stop the process at once.
  logger.info('worker is running');
  await worker.finished.finally(() => traces?.close());
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    const message = error instanceof ConfigurationError ? error.message : error;
    process.stderr.write(`isthmus worker ended: ${String(message)}\n`);
    process.exit(1);
  },
);

/**
 * Expected warnings of the Temporal SDK: some of our workers run only activities. No setting silences them.
 */
const expected: ReadonlySet<string> = new Set(['No workflows registered, not polling for workflow tasks']);

const levels = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const satisfies Record<LogLevel, string>;

function sdkLogger(logger: PinoLogger): Logger {
  return new DefaultLogger('WARN', ({ level, message, meta }) => {
    if (!expected.has(message)) logger[levels[level]]({ ...meta, component: 'temporal' }, message);
  });
}
