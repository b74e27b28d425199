// Whoever searches a log finds the line as the operators' pages quote it.
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { sectionsOf } from './markdown.ts';
import { readDocument, root } from './documents.ts';

const code = ['activities', 'api', 'core', 'db']
  .flatMap((folder) =>
    readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readDocument(`${folder}/${name}`)),
  )
  .join('\n');

/** Quoted words of a log line: lower case, more than one, no path, no option, no command. */
const quoted = /`((?!npm )[a-z]+(?: [A-Za-z0-9-]+)+)`/g;

const sections = ['monitoring', 'payments-that-need-a-person']
  .flatMap((page) => sectionsOf(readDocument(`docs/operations/${page}.md`)))
  .filter(({ title }) => ['A party is down', 'Logs', 'The sweep'].includes(title));

it("every line of the log that the operators' pages quote is in the code", () => {
  const lines = sections.flatMap(({ text }) => [...text.matchAll(quoted)].map(([, line = '']) => line));
  expect(lines).toContain('a part of the service does not answer');
  expect(lines).toContain('no worker answered within 10 s');
  // a number is worked out: what stands before it must be there
  expect(lines.filter((line) => !code.includes(line.replace(/\d.*$/, '')))).toEqual([]);
});
