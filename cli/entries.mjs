// Entry files of the deployed processes and of the operators' command, by the name of the built file in dist/.
export const entries = {
  api: 'api/main.ts',
  worker: 'activities/main.ts',
  migrate: 'cli/migrate.ts',
  retention: 'cli/retention.ts',
  ops: 'cli/ops/main.ts',
  sandbox: 'sandbox/main.ts',
};

/**
 * Build options, for the images and for every caller that must run the same code. @satisfies
 * {import('esbuild').BuildOptions}
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
