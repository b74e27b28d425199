/**
 * Runs once in a worker's sandbox, before it is sealed (preloadModules, cli/bundle-workflows.mjs). For each promise
 * that a workflow makes, the SDK keeps a stack, in case somebody asks for it in the Temporal UI: with V8's ten frames,
 * each looked up in the source map, that was a fifth of what a workflow costs its worker. One frame tells where an
 * error was thrown; what a payment waits for stands in its details.
 */
const frames = 1;

(Error as typeof Error & { stackTraceLimit: number }).stackTraceLimit = frames;
