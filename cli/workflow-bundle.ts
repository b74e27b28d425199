// Bundles the workflow code into one file, so that a worker starts without bundling. It bundles again only if
// the sources have changed.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const prefix = 'workflow-bundle-';

/**
 * File name of the bundle. It contains a hash of the sources.
 * @internal exported for tests
 * @param root folder of the project
 */
export const workflowBundleName = (root: string): string => `${prefix}${hashOfSources(root)}.js`;

/**
 * @param root folder of the project
 * @param folder folder of the bundles: `.isthmus`
 * @returns path of the bundle
 */
export async function ensureWorkflowBundle(root: string, folder: string): Promise<string> {
  const name = workflowBundleName(root);
  const path = join(folder, name);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const { bundleWorkflows } = await import('./bundle-workflows.mjs');
  await bundleWorkflows(`${path}.new`);
  renameSync(`${path}.new`, path); // atomic, so that no worker reads a partial file
  for (const other of readdirSync(folder)) {
    if (other.startsWith(prefix) && other !== name) rmSync(join(folder, other), { force: true });
  }
  return path;
}

/**
 * The folders that workflows may import (see the import rules in docs/explanation/architecture.md), and the
 * lockfile of their packages.
 */
const sources = ['workflows', 'core', 'contract', 'package-lock.json'];

function hashOfSources(root: string): string {
  const hash = createHash('sha256');
  for (const source of sources) {
    const names = source.includes('.')
      ? ['']
      : readdirSync(join(root, source), { recursive: true, encoding: 'utf8' });
    for (const name of names.toSorted()) {
      const path = join(root, source, name);
      if (/\.(ts|json)$/.test(path)) hash.update(`${source}/${name}\n`).update(readFileSync(path));
    }
  }
  return hash.digest('hex').slice(0, 16);
}
