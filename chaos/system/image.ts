// Builds the processes of a tree of the project as the container image has them: they start in half a second, and a
// worker that is killed every few seconds is back at once. The tree may be a copy with a mistake in it (chaos/mutants).
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type * as Bundling from '../../cli/bundle-workflows.mjs';
import { asInImage, entries } from '../../cli/entries.mjs';

/** @returns folder of the built processes, with what they read beside it */
export async function buildImage(tree: string, folder: string): Promise<string> {
  const dist = join(folder, 'dist');
  mkdirSync(dist, { recursive: true });
  for (const name of ['schemas', 'db', 'node_modules', 'package.json']) {
    symlinkSync(join(tree, name), join(folder, name));
  }
  const { api, worker, migrate } = entries;
  await build({
    absWorkingDir: tree,
    entryPoints: { api, worker, migrate },
    outdir: dist,
    ...asInImage,
  });
  const { bundleWorkflows } = (await import(
    pathToFileURL(join(tree, 'cli', 'bundle-workflows.mjs')).href
  )) as typeof Bundling;
  await bundleWorkflows(join(dist, 'workflow-bundle.js'));
  return dist;
}
