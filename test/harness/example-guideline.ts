// The example of a scheme's own usage guideline, built by the commands of its how-to.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { blocksOf, readDocument, root } from '../docs/documents.ts';

/** @returns its directory, which is removed after the tests of the file */
export function buildExampleGuideline(): string {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-guideline-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const blocks = blocksOf(readDocument('docs/how-to/use-your-own-guideline.md'));
  const commands = blocks.find(({ text }) => text.includes('sed -f'))?.text ?? 'exit 1';
  execFileSync('bash', ['-ec', commands.replaceAll('/tmp/isthmus-guideline', folder)], { cwd: root });
  return folder;
}
