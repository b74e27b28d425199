// Entry point of the api process. It reads the configuration, starts the api, and serves until the process is
// stopped.
import { readFileSync } from 'node:fs';
import { parseApiConfig } from '../core/settings/config.ts';
import { ConfigurationError } from '../core/settings/environment-variables.ts';
import { withFiles } from '../core/settings/settings.ts';
import { createLogger } from '../telemetry/logger.ts';
import { openTraces } from '../telemetry/open-traces.ts';
import { startApi } from './start.ts';

async function main(): Promise<void> {
  const config = parseApiConfig(withFiles(process.env, (path) => readFileSync(path, 'utf8')));
  const traces = await openTraces(config.traces, 'isthmus-api', () => logger);
  const logger = createLogger(config.logLevel, 'isthmus-api', traces?.logFields);
  const api = await startApi(config, { logger, traces });
  let isStopping = false;
  const stop = () => {
    if (isStopping) return;
    isStopping = true;
    logger.info('stopping');
    const closed = api.close().finally(() => traces?.close());
    closed.then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  // ignore a second signal, because the process group and the parent may both send one
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
  // log this after adding the signal handlers, because a reader of the log may stop the process at once
  logger.info({ url: api.url }, 'api is listening');
}

main().catch((error: unknown) => {
  const message = error instanceof ConfigurationError ? error.message : error;
  process.stderr.write(`isthmus api did not start: ${String(message)}\n`);
  process.exitCode = 1;
});
