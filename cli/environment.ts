// The environment variables that the commands themselves read, as docs/reference/configuration.md lists them. The
// processes that they start have their own: core/config.ts, sandbox/environment.ts.
import type { EnvironmentVariable } from '../core/config.ts';

export const cliEnvironmentVariables = {
  ISTHMUS_HOME: { description: 'Folder of data, logs, journals and fetched binaries', default: '.isthmus' },
  DATABASE_URL: { description: 'Use this Postgres instead of an embedded one', default: '' },
  TEMPORAL_ADDRESS: { description: 'Use this Temporal server instead of one of our own', default: '' },
  TEMPORAL_CLI: {
    description: 'Path of a Temporal CLI; else the one on the PATH, else a pinned one is fetched',
    default: '',
  },
  NO_COLOR: { description: 'Anything: no colours; without a terminal there are none anyway', default: '' },
} as const satisfies Record<string, EnvironmentVariable>;
