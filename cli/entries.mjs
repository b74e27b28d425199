// The processes of the deployment, by the name of their file in dist/, and their entry files.
export const entries = {
  api: 'api/main.ts',
  worker: 'activities/main.ts',
  migrate: 'cli/migrate.ts',
  sandbox: 'sandbox/main.ts',
};
