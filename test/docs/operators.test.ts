// The commands in the operators' pages are scripts, commands and options that there are.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readDocument, root } from './documents.ts';

const pages = readdirSync(join(root, 'docs', 'operations')).map((name) => `docs/operations/${name}`);

const command = /npm run (?:--silent )?(ops|admin|audit) -- ([a-z-]+)([^\n`]*)/g;

it.each(pages)('%s: every command and option is one of the program', (page) => {
  for (const [, program = '', name = '', rest = ''] of readDocument(page).matchAll(command)) {
    const source = readDocument(`cli/${program}/main.ts`);
    expect(source).toMatch(new RegExp(`'${name}'`));
    for (const [, option = ''] of rest.replaceAll(/'[^']*'/g, '').matchAll(/--([a-z-]+)/g)) {
      const filter = option // a filter is named as in the API: --older-than of olderThan
        .replaceAll(/-[a-z]/g, (letters) => letters.slice(1).toUpperCase());
      expect(source).toMatch(new RegExp(`--${option}\\b|\\b${filter}\\b`));
    }
  }
});

it.each(pages)('%s: every script is one of the package', (page) => {
  const { scripts } = JSON.parse(readDocument('package.json')) as { scripts: Record<string, string> };
  for (const [, script = ''] of readDocument(page).matchAll(/npm run (?:--silent )?([a-z:]+)/g)) {
    expect(Object.keys(scripts)).toContain(script);
  }
});
