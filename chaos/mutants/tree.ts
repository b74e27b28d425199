// A copy of the project's code with a mistake in it.
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { applied, type Mutant } from './mutant.ts';

/** What the processes under test are built from. */
const copied = [
  'activities',
  'api',
  'cli',
  'contract',
  'core',
  'db',
  'sandbox',
  'schemas',
  'workflows',
  'xml',
];
const files = ['package.json', 'package-lock.json', 'tsconfig.json'];

/**
 * @param folder made here
 * @throws Error when a text to be replaced is not there exactly once: the code has changed, and the mistake must follow it
 */
export function copyTree(root: string, folder: string, { edits }: Pick<Mutant, 'edits'>): string {
  mkdirSync(folder, { recursive: true });
  for (const name of [...copied, ...files]) cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const edit of edits) {
    const path = join(folder, edit.file);
    writeFileSync(path, applied(readFileSync(path, 'utf8'), edit));
  }
  return folder;
}
