// The list of settings agrees with the code. `UPDATE_TABLES=1 npx vitest run test/docs/configuration.test.ts` writes
// it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cliEnvironmentVariables } from '../../cli/environment.ts';
import { settingsIn, type Setting } from '../../core/settings/environment-variables.ts';
import { allSettings } from '../../core/settings/settings.ts';
import { sandboxSettings } from '../../sandbox/environment.ts';
import { readDocument, root } from './documents.ts';

const path = 'docs/reference/configuration.md';
const begin = '<!-- settings -->\n';
const end = '<!-- /settings -->';

type Listed = Pick<Setting, 'name' | 'details'> & Partial<Pick<Setting, 'form'>>;

function list(title: string, settings: readonly Listed[]): string {
  const items = settings.map(({ name, form, details }) => {
    const { description, required, file, default: value } = details;
    const given = required ? ' (required)' : value ? ` (default \`${value}\`)` : '';
    const allowed = form?.description === undefined ? '' : `. Allowed: ${form.description}`;
    const fromFile = file ? `. Or \`${name}_FILE\`: a file that holds it` : '';
    return `- **\`${name}\`**${given}: ${description}${allowed}${fromFile}`;
  });
  return [`## ${title}`, '', ...items, ''].join('\n');
}

const ofCommands = Object.entries(cliEnvironmentVariables).map(([name, details]) => ({ name, details }));
const expected = [
  '',
  list('The api, the worker and the migration', allSettings),
  list('The sandbox', settingsIn(sandboxSettings)),
  list('The commands: demo, start, pay, migrate, test', ofCommands),
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
