// Builds the processes of a tree of the project as the container image has them: they start in half a second, and a
// worker that is killed every few seconds is back at once. The tree may be a copy with a mistake in it (chaos/mutants).
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Bundling from '../../cli/bundle-workflows.mjs';
import { entries } from '../../cli/entries.mjs';
import { buildImage } from '../../cli/image.ts';

/** @returns folder of the built processes, with what they read beside it */
export async function buildTree(tree: string, folder: string): Promise<string> {
  const { api, worker, migrate } = entries;
  const dist = await buildImage(tree, folder, { api, worker, migrate });
  const { bundleWorkflows } = (await import(
    pathToFileURL(join(tree, 'cli', 'bundle-workflows.mjs')).href
  )) as typeof Bundling;
  await bundleWorkflows(join(dist, 'workflow-bundle.js'));
  return dist;
}
