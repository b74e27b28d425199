// Entry of the worker process: reads its configuration, runs its task queues until it is told to stop.
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

/** The workflow code: the bundle that the first argument names, or the one beside this file in a built image. */
function workflowBundle(): WorkflowBundleOption {
  const [named] = process.argv.slice(2);
  const codePath = named ?? fileURLToPath(new URL('workflow-bundle.js', import.meta.url));
  if (existsSync(codePath)) return { codePath };
  throw new ConfigurationError(
    `no workflow bundle at ${codePath}; "npm run bundle" makes one in dist/, where "node dist/worker.js" finds it`,
  );
}

/** A free loopback port where the SDK's core can serve its metrics, and a function that reads them. */
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
      // the SDK's core logs through that logger too
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'WARN' }) },
      ...(sdkMetrics && { metrics: { prometheus: { bindAddress: sdkMetrics.address } } }),
    },
    shutdownSignals: [], // signals are handled below
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
    void worker.shutdown().catch(() => undefined); // its failure is reported below
  };
  // ignore a second signal: the process group and the parent may both send one
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
  logger.info('worker is running'); // after the handlers: a reader of the log may stop it at once
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

/** Warnings of the SDK that are expected: some of our workers run activities only. The SDK has no setting for it. */
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
