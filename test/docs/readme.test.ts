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
  it('is read in a few minutes, and its first command, the demo, stands on the first screen', () => {
    const lines = readDocument('README.md').split('\n');
    expect(lines.length).toBeLessThanOrEqual(120);
    expect(lines[lines.indexOf('```sh') + 1]).toBe('npm run demo');
    expect(lines.indexOf('```sh')).toBeLessThan(25);
  });

  it('shows the way of a payment', () => {
    const pictures = blocksOf(readDocument('README.md')).filter(({ language }) => language === 'mermaid');
    expect(pictures.map(({ text }) => text.split(/\s/)[0])).toEqual(['sequenceDiagram']);
  });

  it('leaves it to the architecture to name every folder of the project', () => {
    const folders = readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !/^\.|node_modules|dist|coverage/.test(entry.name))
      .map((entry) => entry.name);
    for (const folder of folders.filter((name) => name !== 'docker')) {
      expect(readDocument('docs/explanation/architecture.md')).toContain(`\`${folder}/\``);
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
  it('goes by who the reader is', () => {
    const titles = sectionsOf(readDocument('docs/README.md')).map(({ title }) => title.split(':')[0]);
    expect(titles.slice(1)).toEqual([
      ...['Start', 'PSP', 'Source', 'Destination', 'FX provider', 'All parties', 'Operators of Isthmus'],
      ...['Look up', 'Understand', 'Words that the documents use'],
    ]);
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
  const without = onAServer.filter(({ text }) => !/\bTEMPORAL_NAMESPACE=\w/.test(text));
  expect(without.map(({ document }) => document)).toEqual([]);
});
