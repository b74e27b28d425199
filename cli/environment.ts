// The environment variables that the commands themselves read. docs/reference/configuration.md lists them.
// The variables of the started processes are in core/settings/settings.ts and sandbox/environment.ts.
import type { Details } from '../core/settings/environment-variables.ts';

export const cliEnvironmentVariables = {
  ISTHMUS_HOME: {
    description:
      'Folder of data, logs, journals and fetched binaries; tests and fuzzing keep theirs in .isthmus all the same',
    default: '.isthmus',
  },
  DATABASE_URL: { description: 'Use this Postgres instead of an embedded one', file: true },
  TEMPORAL_ADDRESS: {
    description:
      'Use this Temporal server instead of one of our own; TEMPORAL_NAMESPACE is then a namespace in it that no other system uses',
  },
  TEMPORAL_CLI: {
    description: 'Path of a Temporal CLI; else the one on the PATH, else a pinned one is fetched',
  },
  ISTHMUS_URL: { description: 'ops: the gateway to ask; else the demo that runs here' },
  ISTHMUS_CLIENT_ID: {
    description:
      'ops, admin: a client with the role operator; pay: a client of the demo that was given another secret',
  },
  ISTHMUS_CLIENT_SECRET: { description: 'ops, admin, pay: its secret', file: true },
  ISTHMUS_TOKEN_URL: {
    description: 'ops: where tokens come from; else /oauth/token of the gateway',
  },
  CONTAINER_ENGINE: {
    description:
      'try:image: the command of the container engine; else docker, or podman where docker does not answer',
  },
  COMPOSE_COMMAND: {
    description:
      'try:image: the command of Compose; else the engine’s own (docker compose), or one beside it (podman-compose)',
  },
  IMAGE_BUILD_OPTIONS: {
    description:
      'try:image: more options for the build, separated by spaces, such as --build-arg NODE_IMAGE=my/node:24',
  },
  NO_COLOR: { description: 'Anything: no colours; without a terminal there are none anyway' },
} as const satisfies Record<string, Details>;
