/**
 * Runs once in a worker's sandbox, before it is sealed (preloadModules, cli/bundle-workflows.mjs). The SDK keeps a
 * stack for each promise of a workflow, to show it in the Temporal UI. V8's ten frames, each looked up in the source
 * map, took a fifth of a workflow's cost. One frame shows where an error was thrown, and the execution's details say
 * what it waits for.
 */
const frames = 1;

(Error as typeof Error & { stackTraceLimit: number }).stackTraceLimit = frames;
