// What the Temporal SDK and its core say of themselves, as lines of the worker's own log (OBS-1): warnings and worse.
import { DefaultLogger, makeTelemetryFilterString, type Logger, type LogLevel } from '@temporalio/worker';
import type { Logger as PinoLogger } from 'pino';

/** Two of our workers run activities alone, on purpose: that is no warning. The SDK has no setting for it. */
const expected: ReadonlySet<string> = new Set(['No workflows registered, not polling for workflow tasks']);

const levels = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const satisfies Record<LogLevel, string>;

/** The SDK's logger, without what is as it should be. */
export function sdkLogger(logger: PinoLogger): Logger {
  return new DefaultLogger('WARN', ({ level, message, meta }) => {
    if (!expected.has(message)) logger[levels[level]]({ ...meta, component: 'temporal' }, message);
  });
}

/** Its core logs by that logger, not by itself. */
export const coreLogging = {
  forward: {},
  filter: makeTelemetryFilterString({ core: 'WARN', other: 'WARN' }),
};
