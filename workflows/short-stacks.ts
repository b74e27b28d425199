/**
 * Runs once in a worker's sandbox, before it is sealed (cli/bundle-workflows.mjs). The SDK keeps a stack for each
 * promise of a workflow. V8's ten frames, each looked up in the source map, took a fifth of a workflow's cost.
 */
const frames = 1;

(Error as typeof Error & { stackTraceLimit: number }).stackTraceLimit = frames;
