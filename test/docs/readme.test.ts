// The README agrees with the code: its table of settings, its links. `UPDATE_TABLES=1 npx vitest run test/docs/readme.test.ts`
// writes the table.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cliEnvironmentVariables } from '../../cli/environment.ts';
import { environmentVariables, type EnvironmentVariable } from '../../core/config.ts';
import { sandboxEnvironmentVariables } from '../../sandbox/environment.ts';
import { documents, readDocument, root } from './documents.ts';

const begin = '<!-- configuration -->\n';
const end = '<!-- /configuration -->';

function table(title: string, variables: Readonly<Record<string, EnvironmentVariable>>): string {
  const rows = Object.entries(variables).map(([name, variable]) => {
    const value = variable.default === undefined ? 'required' : variable.default && `\`${variable.default}\``;
    return `| \`${name}\` | ${variable.description} | ${value} |`;
  });
  return [`### ${title}`, '', '| variable | what it is | default |', '| --- | --- | --- |', ...rows, ''].join(
    '\n',
  );
}

const expected = [
  '',
  table('api, worker and migrate', environmentVariables),
  table('sandbox', sandboxEnvironmentVariables),
  table('commands (demo, start, pay, migrate, test)', cliEnvironmentVariables),
].join('\n');

/** The formatter pads the cells of tables. */
const withoutPadding = (text: string) => text.replaceAll(/-{3,}/g, '---').replaceAll(/ +/g, ' ');

describe('README.md', () => {
  it('names every setting that the code reads, with its default', () => {
    const text = readDocument('README.md');
    const [head = '', rest = ''] = text.split(begin);
    const [between = '', tail = ''] = rest.split(end);
    if (process.env['UPDATE_TABLES'] !== undefined) {
      writeFileSync(join(root, 'README.md'), `${head}${begin}${expected}\n${end}${tail}`);
    } else {
      expect(withoutPadding(between).trim()).toBe(withoutPadding(expected).trim());
    }
  });

  it('names every folder of the project', () => {
    const folders = readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !/^\.|node_modules|dist|coverage/.test(entry.name))
      .map((entry) => entry.name);
    for (const folder of folders.filter((name) => name !== 'docker')) {
      expect(readDocument('README.md')).toContain(`](${folder})`);
    }
  });

  it.each(documents)('%s: links lead somewhere', (path) => {
    const links = [...readDocument(path).matchAll(/\]\(([^)#]+)(#[^)]*)?\)/g)].map(([, link = '']) => link);
    for (const link of links.filter((one) => !one.startsWith('http'))) {
      expect({ link, exists: existsSync(join(root, dirname(path), link)) }).toEqual({ link, exists: true });
    }
  });
});
