// Entry files of the deployed processes and of the operators' command. The keys are the names of the built
// files in dist/.
export const entries = {
  api: 'api/main.ts',
  worker: 'activities/main.ts',
  migrate: 'cli/migrate.ts',
  retention: 'cli/retention.ts',
  ops: 'cli/ops/main.ts',
  sandbox: 'sandbox/main.ts',
};

/**
 * Build options of the container images. Other builds use them too, to run the same code as in production.
 * @satisfies {import('esbuild').BuildOptions}
 */
export const asInImage = /** @type {const} */ ({
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node24.3',
  sourcemap: true,
  logLevel: 'warning',
});
