// What a newcomer opens first: a README that is short and leads on, an index of everything else, and pages that fit a
// screen.
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blocksOf, documents, library, readDocument, root } from './documents.ts';
import { linksOf, sectionsOf } from './markdown.ts';

/** Documents that a document links to, as paths from the project's folder. */
function linkedFrom(document: string): ReadonlySet<string> {
  return new Set(linksOf(readDocument(document)).map(({ path }) => normalize(join(dirname(document), path))));
}

describe('README.md', () => {
  it('is read in a few minutes', () => {
    expect(readDocument('README.md').split('\n').length).toBeLessThanOrEqual(150);
  });

  it('shows the parties and the way of a payment', () => {
    const pictures = blocksOf(readDocument('README.md')).filter(({ language }) => language === 'mermaid');
    expect(pictures.map(({ text }) => text.split(/\s/)[0])).toEqual(['flowchart', 'sequenceDiagram']);
  });

  it('names the demo and the tests by their commands', () => {
    const commands = blocksOf(readDocument('README.md')).flatMap(({ text }) => text.split(/\n/));
    for (const command of ['npm run demo', 'npm test']) {
      expect(commands.some((line) => line.split(/ {2,}#/)[0] === command)).toBe(true);
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

  it('leads to the documents, to contributing and to security', () => {
    for (const path of ['docs/README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md']) {
      expect(linkedFrom('README.md')).toContain(path);
    }
  });

  it.each(documents)('%s: links lead somewhere', (path) => {
    const links = [...readDocument(path).matchAll(/\]\(([^)#]+)(#[^)]*)?\)/g)].map(([, link = '']) => link);
    for (const link of links.filter((one) => !one.startsWith('http'))) {
      expect({ link, exists: existsSync(join(root, dirname(path), link)) }).toEqual({ link, exists: true });
    }
  });
});

describe('docs/README.md', () => {
  it('goes by what a reader wants', () => {
    const titles = sectionsOf(readDocument('docs/README.md')).map(({ title }) => title);
    expect(titles.slice(1)).toEqual(['Learn', 'Do', 'Look up', 'Understand', 'Words that the documents use']);
  });

  it('leads to every document', () => {
    const linked = linkedFrom('docs/README.md');
    const all = library.filter((path) => path !== 'docs/README.md');
    expect(all.filter((path) => !linked.has(path))).toEqual([]);
  });
});

const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'bench/README.md', ...library];

it.each(pages)('%s: no row of a table is wider than a screen', (path) => {
  // As it is shown: without padding and the targets of links.
  const shown = (row: string) => row.replaceAll(/ {2,}|-{4,}/g, ' ').replaceAll(/\]\([^)]*\)/g, ']');
  const wide = readDocument(path)
    .split('\n')
    .filter((line) => line.startsWith('|') && shown(line).length > 180);
  expect(wide).toEqual([]);
});

it('whoever is told to start processes on a Temporal server is told to name a namespace of their own', () => {
  const onAServer = [...documents, ...library]
    .flatMap((document) => blocksOf(readDocument(document)).map(({ text }) => ({ document, text })))
    .filter(({ text }) => /\bTEMPORAL_ADDRESS=/.test(text));
  expect(onAServer.length).toBeGreaterThan(0);
  const without = onAServer.filter(({ text }) => !/\bTEMPORAL_NAMESPACE=\w/.test(text));
  expect(without.map(({ document }) => document)).toEqual([]);
});
