// A copy of the project's code with a mistake in it.
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { applied, type Mutant } from './mutant.ts';

/** What the processes under test are not built from; whatever is new in the project comes along. */
const leftOut: ReadonlySet<string> = new Set(['node_modules', 'dist', 'docs', 'test', 'coverage']);

/**
 * @param folder made here
 * @throws Error when a text to be replaced is not there exactly once: the code has changed, and the mistake must follow it
 */
export function copyTree(root: string, folder: string, { edits }: Pick<Mutant, 'edits'>): string {
  mkdirSync(folder, { recursive: true });
  const names = readdirSync(root).filter((name) => !name.startsWith('.') && !leftOut.has(name));
  for (const name of names) cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const edit of edits) {
    const path = join(folder, edit.file);
    writeFileSync(path, applied(readFileSync(path, 'utf8'), edit));
  }
  return folder;
}
