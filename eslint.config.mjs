// Type-aware lint, and the import rules per folder: a folder may import what its row names, nothing else.
import tseslint from 'typescript-eslint';
import importX from 'eslint-plugin-import-x';
import regexp from 'eslint-plugin-regexp';

const folders = [
  'core',
  'schemas',
  'xml',
  'workflows',
  'activities',
  'api',
  'db',
  'sandbox',
  'cli',
  'bench',
  'test',
];

/**
 * What each folder may import: sibling folders, packages (exact, or all of a scope), and whether `node:` is allowed.
 * @type {Record<string, { folders: string[], packages: string[], node: boolean }>}
 */
const allowed = {
  core: { folders: [], packages: [], node: false },
  xml: { folders: ['core'], packages: ['libxml2-wasm', 'xsd-schema-validator'], node: true },
  workflows: {
    folders: ['core', 'activities/contract'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
    node: false,
  },
  activities: {
    folders: ['core', 'db', 'xml', 'workflows'],
    packages: [
      '@temporalio/activity',
      '@temporalio/worker',
      '@temporalio/client',
      '@temporalio/common',
      'undici',
      'ipaddr.js',
      'pino',
      'kysely',
    ],
    node: true,
  },
  api: {
    folders: ['core', 'db', 'xml', 'workflows'],
    packages: ['hono', '@hono/*', 'zod', 'jose', 'pino', 'kysely'],
    node: true,
  },
  db: { folders: ['core'], packages: ['kysely', 'pg', 'zod'], node: true },
  sandbox: { folders: ['core', 'xml'], packages: ['hono', '@hono/*', 'undici'], node: true },
};

/** @param {string} text */
const escape = (text) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);

/**
 * One `no-restricted-imports` rule per folder, built from its row above.
 * @param {string} folder
 * @returns {import('typescript-eslint').InfiniteDepthConfigWithExtends}
 */
function importRule(folder) {
  const row = allowed[folder];
  if (row === undefined) throw new Error(`no row for ${folder}`);
  const outside = folders
    .filter((other) => other !== folder)
    .filter((other) => !row.folders.some((name) => name === other));
  const excused = row.folders
    .filter((name) => name.includes('/'))
    .map((name) => escape(name))
    .join('|');
  const exception = excused === '' ? '' : `(?!${excused})`;
  const packages = row.packages.map((name) =>
    name.endsWith('/*') ? `${escape(name.slice(0, -1))}.+` : `${escape(name)}(\\/.+)?`,
  );
  const node = row.node ? ['node:.+'] : [];
  return {
    files: [`${folder}/**/*.ts`],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: `^(\\.\\./)+${exception}(${outside.join('|')})/`,
              message: `${folder}/ may import only: ${row.folders.join(', ') || 'itself'} (docs/explanation/architecture.md).`,
            },
            {
              regex: `^(?!\\.{1,2}/|${[...packages, ...node].map((p) => `${p}$`).join('|') || '$^'})`,
              message: `${folder}/ may import only these packages: ${row.packages.join(', ') || 'none'}.`,
            },
          ],
        },
      ],
    },
  };
}

export default tseslint.config(
  { ignores: ['node_modules', 'dist', '.isthmus', 'coverage'] },
  ...tseslint.configs.strictTypeChecked,
  {
    plugins: { 'import-x': importX, regexp },
    settings: {
      'import-x/extensions': ['.ts', '.mjs'],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] },
    },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      'no-console': 'error',
      'max-lines': ['error', { max: 400 }],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
      'import-x/no-default-export': 'error',
      'import-x/no-cycle': 'error',
      // a pattern that can take a text in two ways, or try it from every place, holds the event loop (SEC-9)
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
  ...Object.keys(allowed).map(importRule),
  {
    files: ['core/money.ts'],
    rules: { 'no-restricted-imports': 'off' },
  },
  {
    files: ['api/**/*.ts'],
    ignores: ['api/temporal.ts'],
    rules: {},
  },
  {
    files: ['api/temporal.ts'],
    rules: { 'no-restricted-imports': 'off' },
  },
  {
    files: ['cli/**', 'bench/**'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      'regexp/no-super-linear-backtracking': 'off', // what a test reads is its own
      'regexp/no-super-linear-move': 'off',
    },
  },
  {
    // answers are JSON of any shape here: conformance.ts holds each against the OpenAPI document
    files: ['test/api/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: ['**/*.mjs', '*.config.ts'],
    ...tseslint.configs.disableTypeChecked,
  },
  {
    files: ['*.config.ts', '*.config.mjs', 'eslint.config.mjs'],
    rules: { 'import-x/no-default-export': 'off', 'max-lines-per-function': 'off' },
  },
);
