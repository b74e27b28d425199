// The page of promises, held against what the command can play.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { faults } from '../../chaos/faults/all.ts';
import { root } from './documents.ts';

it('docs/explanation/reliability.md lists every fault that can be played by name, with what it does', () => {
  const page = readFileSync(`${root}/docs/explanation/reliability.md`, 'utf8');
  const listed = page
    .slice(page.indexOf('## The faults'))
    .split('\n')
    .filter((line) => line.startsWith('- **'));
  expect(listed).toEqual(faults.map(({ name, tells }) => `- **${name}:** ${tells}`));
});
