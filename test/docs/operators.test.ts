// The operators' pages: their links lead to sections that there are, and their commands have the options that they name.
import { readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { readDocument, root } from './documents.ts';
import { linksOf, sectionsOf } from './markdown.ts';

const pages = readdirSync(join(root, 'docs', 'operations')).map((name) => `docs/operations/${name}`);

it.each(pages)('%s: every link to a section leads to one', (page) => {
  const anchorsOf = (path: string) => sectionsOf(readDocument(path)).map(({ anchor }) => anchor);
  for (const { path, anchor } of linksOf(readDocument(page))) {
    if (anchor === undefined) continue;
    const target = path === '' ? page : normalize(join(dirname(page), path));
    expect(anchorsOf(target), target).toContain(anchor);
  }
});

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
