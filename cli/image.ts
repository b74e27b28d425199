// Builds processes as the container image has them (cli/bundle.mjs, Dockerfile): one file each, beside the files that
// they read. They start in a third of the processor time that their sources need.
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { asInImage } from './entries.mjs';

/** Files and folders that the processes read at run time. */
const beside = ['schemas', 'db', 'docs', 'node_modules', 'package.json'];

/**
 * @param tree folder of the project, or of a copy of it
 * @param folder output folder; files of an earlier build are removed
 * @param entryPoints entry files by the name of the built file
 * @returns the folder of the built files, `<name>.js` each
 */
export async function buildImage(
  tree: string,
  folder: string,
  entryPoints: Readonly<Record<string, string>>,
): Promise<string> {
  const dist = join(folder, 'dist');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  for (const name of beside) symlinkSync(join(tree, name), join(folder, name));
  await build({
    absWorkingDir: tree,
    entryPoints,
    outdir: dist,
    ...asInImage,
  });
  return dist;
}
