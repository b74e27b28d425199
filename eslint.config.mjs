// Type-aware lint, and the import rules of eslint.imports.mjs.
import tseslint from 'typescript-eslint';
import importX from 'eslint-plugin-import-x';
import regexp from 'eslint-plugin-regexp';
import { importRules } from './eslint.imports.mjs';

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
      'import-x/no-duplicates': 'error',
      // a pattern that can take a text in two ways, or try it from every place, holds the event loop (SEC-9)
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
  ...importRules,
  {
    files: ['activities/**'],
    ignores: ['activities/failures.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'ApplicationFailure',
          message:
            'What a failure leads to stands in the table of activities/failures.ts: throw one of its kinds.',
        },
      ],
    },
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
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.object.name='vi'][callee.property.name='waitFor']",
          message:
            'Its own limit is one second, which a busy machine takes: use eventually() (test/harness).',
        },
      ],
    },
  },
  {
    files: ['**/*.mjs', '*.config.ts'],
    ...tseslint.configs.disableTypeChecked,
  },
  {
    files: ['*.config.ts', '*.config.mjs'],
    rules: { 'import-x/no-default-export': 'off', 'max-lines-per-function': 'off' },
  },
);
