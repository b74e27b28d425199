// Builds processes as the container image has them (cli/bundle.mjs, Dockerfile): one file each, with what they read
// beside it. They start in a third of the processor time that their sources take.
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { asInImage } from './entries.mjs';

/** What the processes read at run time, of the folders that the image has. */
const beside = ['schemas', 'db', 'docs', 'node_modules', 'package.json'];

/**
 * @param tree folder of the project, or of a copy of it
 * @param folder to write to; what an earlier build left there is removed
 * @param entryPoints entry files by the names of what is built from them
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
