// The import rules: a folder may import what its row names, nothing else, be it a folder of ours, a package or `node:`. A
// folder within a folder has a row of its own in place of the outer one's. A file that may import more has a row of its own,
// which adds to its folder's; none is exempt. That the folders stand one above the other and that no files import each other
// in a circle is held by test/imports.test.ts.

/**
 * `ours`: folders and files of the project. `packages`: exact names, or all of a scope. `node`: whether `node:` is allowed.
 * `importsLater`: whether `import()` is, for what is loaded only when it is needed.
 * @typedef {{ ours?: string[], packages?: string[], node?: boolean, importsLater?: boolean }} Row
 */

/** @type {Record<string, Row>} */
const folders = {
  core: {},
  contract: { ours: ['core'], packages: ['@temporalio/common'] },
  schemas: {},
  xml: { ours: ['core', 'schemas'], packages: ['libxml2-wasm'], node: true },
  workflows: { ours: ['core', 'contract'], packages: ['@temporalio/workflow', '@temporalio/common'] },
  db: { ours: ['core'], packages: ['kysely', 'pg', 'zod'], node: true },
  telemetry: { packages: ['pino', '@prometheus-io/client'], node: true },
  activities: {
    ours: ['core', 'contract', 'db', 'xml', 'telemetry'],
    packages: [
      '@temporalio/activity',
      '@temporalio/worker',
      '@temporalio/common',
      'http-message-signatures',
      'pino',
    ],
    node: true,
  },
  api: {
    ours: ['core', 'contract', 'db', 'xml', 'telemetry', 'package.json'],
    packages: ['hono', '@hono/*', 'zod', 'pino', 'kysely'],
    node: true,
  },
  'api/http': {
    ours: ['core', 'db', 'xml'],
    packages: ['hono', '@hono/*', 'zod', 'pino'],
    node: true,
  },
  'api/auth': {
    ours: ['core', 'db', 'api/http'],
    packages: ['hono', 'http-message-signatures', 'jose', 'pino', 'structured-headers'],
    node: true,
  },
  'api/portal': {
    ours: ['core', 'db', 'api'],
    packages: ['hono', '@hono/*', 'jose', 'marked', 'openid-client', 'pino'],
    node: true,
  },
  sandbox: {
    ours: ['core', 'xml', 'db/seed/clearing-systems.json'], // whose operators it plays
    packages: ['undici', 'zod'],
    node: true,
  },
  cli: {
    // it starts the others as processes of their own, and reads the sandbox's journal
    ours: [
      'api', // the types of its answers
      'core',
      'contract',
      'db',
      'xml',
      'sandbox/journal-file.ts',
      'sandbox/environment.ts',
      'package.json',
    ],
    packages: ['@temporalio/client', 'commander', 'pg', 'undici', 'zod'],
    node: true,
    importsLater: true,
  },
  bench: {
    ours: ['core', 'contract', 'xml', 'db', 'api', 'sandbox/tokens.ts', 'cli', 'fixtures'],
    packages: [
      '@hono/node-server',
      '@temporalio/client',
      '@temporalio/worker',
      'commander',
      'esbuild',
      'hono',
      'kysely',
      'libxml2-wasm',
      'pg',
      'pino',
      'undici',
    ],
    node: true,
    importsLater: true,
  },
  chaos: {
    ours: [
      'cli',
      'core',
      'contract',
      'db',
      'sandbox/tokens.ts',
      'sandbox/environment.ts',
      'sandbox/journal-file.ts',
      'fixtures',
    ],
    packages: ['@temporalio/*', 'commander', 'decimal.js', 'esbuild', 'pg', 'pure-rand', 'undici'],
    node: true,
    importsLater: true,
  },
  // what tests, chaos and benchmarks send, and read of answers
  fixtures: { ours: ['core', 'db', 'api'], packages: ['kysely'], node: true },
  // what it judges must not help it to judge
  'chaos/oracle': { ours: [], packages: ['libxml2-wasm', 'decimal.js'], node: true },
  docs: {
    ours: ['core', 'db', 'xml', 'api', 'package.json', 'cli/chromium.mjs'],
    packages: ['libxml2-wasm', 'pino', 'playwright-core'],
    node: true,
  },
  test: {
    ours: [
      'core',
      'contract',
      'schemas',
      'xml',
      'workflows',
      'db',
      'activities',
      'api',
      'sandbox',
      'telemetry',
      'cli',
      'chaos',
      'bench/by-workers.ts',
      'fixtures',
      'docs',
      'package.json',
    ],
    packages: [
      '@peculiar/x509',
      '@temporalio/*',
      'ajv',
      'ajv-formats',
      'axe-core',
      'decimal.js',
      'esbuild',
      'fast-check',
      'fflate',
      'http-message-signatures',
      'jose',
      'kysely',
      'libxml2-wasm',
      'oidc-provider',
      'pg',
      'pino',
      'playwright-core',
      'prettier',
      'rhea',
      'protobufjs',
      'reflect-metadata',
      'tar',
      'typescript',
      'undici',
      'vitest',
      'yaml',
    ],
    node: true,
    importsLater: true,
  },
};

/** What a file may import beyond its folder's row. @type {Record<string, Row>} */
const files = {
  'core/settings/environment-variables.ts': { packages: ['zod'] }, // settings are described and parsed by its schemas
  'core/settings/receivers.ts': { packages: ['zod'] },
  'core/settings/settings.ts': { packages: ['zod'] },
  'core/payments/iban.ts': { packages: ['ibantools'] },
  'xml/guideline.ts': { packages: ['zod'] },
  'xml/open-engine.ts': { importsLater: true }, // the second engine, where it is chosen
  'xml/xerces.ts': { packages: ['xsd-schema-validator'], importsLater: true },
  'activities/wire/connect-checked.ts': { packages: ['undici', 'ipaddr.js'] },
  'activities/wire/exchange-amqp.ts': { packages: ['rhea'] },
  'api/http/client.ts': { packages: ['ipaddr.js'] },
  'activities/sweep/executions.ts': { packages: ['@temporalio/client'] },
  'api/temporal.ts': { packages: ['@temporalio/client', '@temporalio/common'] },
  'telemetry/trace-sdk.ts': { packages: ['@opentelemetry/*'], importsLater: true }, // where traces are configured
  'telemetry/traces.ts': { packages: ['@opentelemetry/api'] }, // its types
  'cli/bundle.mjs': { packages: ['esbuild'] },
  'cli/image.ts': { packages: ['esbuild'] },
  'cli/bundle-workflows.mjs': { packages: ['@temporalio/worker'] },
  'cli/parts/claim.ts': { packages: ['fs-native-extensions'] },
  'cli/parts/temporal-binary.ts': { packages: ['fflate', 'tar'] },
};

/** Files that may import less than their folder: they run before anything is installed, or apart from everything else. */
const confined = [
  {
    names: ['bootstrap.mjs', 'install.mjs', 'parts/guard.mjs'].map((name) => `cli/${name}`),
    row: { ours: ['cli'], node: true },
  },
  {
    names: ['contract', 'fixed-workflow', 'shaped-workflow'].map((name) => `bench/floor/${name}.ts`),
    row: { ours: ['bench/floor/contract.ts', 'contract'], packages: ['@temporalio/workflow'] },
  },
];

/** @param {string} text */
const escape = (text) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);

/** @param {string} name a package, or all of a scope */
const patternOf = (name) =>
  name.endsWith('/*') ? `${escape(name.slice(0, -1))}.+` : `${escape(name)}(\\/.+)?`;

/**
 * @param {string[]} names of the files
 * @param {string} who they are, for the message
 * @param {Row} row
 * @returns {import('typescript-eslint').InfiniteDepthConfigWithExtends}
 */
function ruleFor(names, who, { ours = [], packages = [], node = false, importsLater = false }) {
  const patterns = [...packages.map(patternOf), ...(node ? ['node:.+'] : [])].map((one) => `${one}$`);
  return {
    files: names,
    rules: {
      'import-x/no-restricted-paths': [
        'error',
        {
          basePath: import.meta.dirname,
          zones: [
            {
              target: '.',
              from: '.',
              except: [...ours, 'node_modules'],
              message: `${who} may import of ours only: ${ours.join(', ')}.`,
            },
          ],
        },
      ],
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: `^(?!\\.{1,2}/|${patterns.join('|') || '$^'})`,
              message: `${who} may import only these packages: ${[...packages, ...(node ? ['node:'] : [])].join(', ') || 'none'}.`,
            },
          ],
        },
      ],
      'no-restricted-syntax': importsLater
        ? 'off'
        : ['error', { selector: 'ImportExpression', message: `${who} imports at its start, not later.` }],
    },
  };
}

/** For files of a folder. @param {string} folder @param {Row} row @returns {Row} */
const within = (folder, row) => ({ ...row, ours: [folder, ...(row.ours ?? [])] });

/** @param {Row} one @param {Row} more @returns {Row} */
const both = (one, more) => ({
  ...one,
  ...more,
  ours: [...(one.ours ?? []), ...(more.ours ?? [])],
  packages: [...(one.packages ?? []), ...(more.packages ?? [])],
});

export const importRules = [
  ...Object.entries(folders).map(([folder, row]) =>
    ruleFor([`${folder}/**/*.{ts,mjs}`], `${folder}/`, within(folder, row)),
  ),
  ...Object.entries(files).map(([name, more]) => {
    const [folder = ''] = name.split('/');
    return ruleFor([name], name, both(within(folder, folders[folder] ?? {}), more));
  }),
  ...confined.map(({ names, row }) => ruleFor(names, names.join(', '), row)),
];
