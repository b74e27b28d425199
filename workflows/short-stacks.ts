/**
 * Runs once in a worker's sandbox, before the sandbox is sealed (cli/bundle-workflows.mjs). The SDK keeps a
 * stack for each promise of a workflow. Each of V8's ten frames is looked up in the source map, which took a
 * fifth of a workflow's CPU time. So only one frame is kept.
 */
const frames = 1;

(Error as typeof Error & { stackTraceLimit: number }).stackTraceLimit = frames;
