// The known mistakes follow the code: each can still be made in it, and the code with it still compiles as it must.
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transpileModule } from 'typescript';
import { expect, onTestFinished, test } from 'vitest';
import { mutants } from '../../chaos/mutants/all.ts';
import { copyTree } from '../../chaos/mutants/tree.ts';
import { root } from '../docs/documents.ts';

test('all mistakes can be made in the code as it is, each at seams of its own, and no seam is left', () => {
  const all = mutants.flatMap(({ lines }) => Object.entries(lines));
  expect(new Set(all.map(([seam]) => seam)).size).toBe(all.length);
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-mutants-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const tree = copyTree(root, join(folder, 'tree'), Object.fromEntries(all));
  const mistaken = globSync('*/**/*.ts', { cwd: tree, exclude: (name) => name === 'node_modules' })
    .map((file) => ({ file, text: readFileSync(join(tree, file), 'utf8') }))
    .filter(({ file, text }) => text !== readFileSync(join(root, file), 'utf8'));
  expect(mistaken.length).toBeGreaterThan(10);
  for (const { file, text } of mistaken) {
    expect(text, file).not.toMatch(/\bseam: [a-z-]+$/m);
    const { diagnostics = [] } = transpileModule(text, { reportDiagnostics: true });
    expect(
      diagnostics.map((one) => one.messageText),
      file,
    ).toEqual([]);
  }
});

test('a mistake whose seam is not in the code is told', () => {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-mutants-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(() => copyTree(root, join(folder, 'tree'), { 'of-nobody': '' })).toThrow('seam: of-nobody');
});
