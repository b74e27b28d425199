// The list of settings agrees with the code. `UPDATE_TABLES=1 npx vitest run test/docs/configuration.test.ts` writes
// it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cliEnvironmentVariables } from '../../cli/environment.ts';
import type { EnvironmentVariable } from '../../core/settings/environment-variables.ts';
import { environmentVariables } from '../../core/settings/settings.ts';
import { sandboxEnvironmentVariables } from '../../sandbox/environment.ts';
import { readDocument, root } from './documents.ts';

const path = 'docs/reference/configuration.md';
const begin = '<!-- settings -->\n';
const end = '<!-- /settings -->';

function list(title: string, variables: Readonly<Record<string, EnvironmentVariable>>): string {
  const items = Object.entries(variables).map(([name, variable]) => {
    const { description, file, form } = variable;
    const value = variable.required
      ? ' (required)'
      : variable.default && ` (default \`${variable.default}\`)`;
    const allowed = form?.description === undefined ? '' : `. Allowed: ${form.description}`;
    const fromFile = file ? `. Or \`${name}_FILE\`: a file that holds it` : '';
    return `- **\`${name}\`**${value ?? ''}: ${description}${allowed}${fromFile}`;
  });
  return [`## ${title}`, '', ...items, ''].join('\n');
}

const expected = [
  '',
  list('The api, the worker and the migration', environmentVariables),
  list('The sandbox', sandboxEnvironmentVariables),
  list('The commands: demo, start, pay, migrate, test', cliEnvironmentVariables),
].join('\n');

it(`${path} names every setting that the code reads, with its default`, () => {
  const [head = '', rest = ''] = readDocument(path).split(begin);
  const [between = '', tail = ''] = rest.split(end);
  if (process.env['UPDATE_TABLES'] !== undefined) {
    writeFileSync(join(root, path), `${head}${begin}${expected}\n${end}${tail}`);
  } else {
    expect(between.trim()).toBe(expected.trim());
  }
});
