// The documents as the tests read them: fenced blocks in order, each with the comment that stands before it.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '..', '..');

export interface Block {
  /** `sh`, `text`, `js`, ... */
  readonly language: string;
  readonly text: string;
  /** Of `<!-- not run: reason -->` and the like before it: `not run`, `reason`. */
  readonly note?: { readonly key: string; readonly value: string };
}

/** Documents with commands in them, as paths from the project's folder. */
export const documents: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'docs/tutorial.md',
  ...readdirSync(join(root, 'docs', 'how-to'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/how-to/${name}`),
];

/** All documents below `docs`. */
export const library: readonly string[] = readdirSync(join(root, 'docs'), {
  recursive: true,
  encoding: 'utf8',
})
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name.replaceAll('\\', '/')}`)
  .sort();

/** @throws when there is no such file */
export function readDocument(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

export function blocksOf(markdown: string): readonly Block[] {
  const fences = /(?:<!-- ([a-z ]+): (.*?) -->\n\n)?^```(\w+)\n([^]*?)^```$/gm;
  return [...markdown.matchAll(fences)].map(([, key, value, language = '', text = '']) => ({
    language,
    text,
    ...(key === undefined || value === undefined ? {} : { note: { key, value } }),
  }));
}
