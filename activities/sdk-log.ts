// What the Temporal SDK says of itself, as the worker process logs it: warnings and worse, on stderr.
import { DefaultLogger, type Logger } from '@temporalio/worker';

/** Two of our workers run activities alone, on purpose: that is no warning. The SDK has no setting for it. */
const expected: ReadonlySet<string> = new Set(['No workflows registered, not polling for workflow tasks']);

/** The SDK's own logger, without what is as it should be. */
export function sdkLogger(): Logger {
  const plain = new DefaultLogger('WARN');
  return new DefaultLogger('WARN', ({ level, message, meta }) => {
    if (!expected.has(message)) plain.log(level, message, meta);
  });
}
