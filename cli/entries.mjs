// The processes of the deployment, and the command for its operators, by the name of their file in dist/, and their entry files.
export const entries = {
  api: 'api/main.ts',
  worker: 'activities/main.ts',
  migrate: 'cli/migrate.ts',
  retention: 'cli/retention.ts',
  ops: 'cli/ops/main.ts',
  sandbox: 'sandbox/main.ts',
};

/** How they are built, for the images and for whatever must run what the images run. @satisfies {import('esbuild').BuildOptions} */
export const asInImage = /** @type {const} */ ({
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node24.3',
  sourcemap: true,
  logLevel: 'warning',
});
