// Builds the files for the container images: one file per process, and the workflow bundle. The files of the
// processes do not include npm packages. Usage: npm run bundle -- [folder]. The default folder is dist.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleWorkflows } from './bundle-workflows.mjs';
import { asInImage, entries } from './entries.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = resolve(root, process.argv[2] ?? 'dist');

if (existsSync(folder) && readdirSync(folder).length > 0 && !existsSync(join(folder, 'worker.js'))) {
  console.error(`${folder} holds something else than an earlier bundle. Name another folder, or empty it.`);
  process.exit(1);
}
rmSync(folder, { recursive: true, force: true });
try {
  // This path is fixed, so that the paths in the source maps do not depend on the output folder.
  const outdir = join(root, 'dist');
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: entries,
    outdir,
    ...asInImage,
    metafile: true,
    write: false,
  });
  mkdirSync(folder, { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(join(folder, relative(outdir, path)), contents);
  for (const [path, { bytes }] of Object.entries(metafile.outputs)) {
    if (path.endsWith('.js')) console.log(`${path} ${(bytes / 1_024).toFixed(0)} KiB`);
  }
  refuseDevelopmentPackages(metafile);
  await bundleWorkflows(join(folder, 'workflow-bundle.js'));
  console.log('workflow-bundle.js');
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

/**
 * Refuses a bundle that needs a development dependency, because the images install only production
 * dependencies.
 * @param {import('esbuild').Metafile} metafile
 */
function refuseDevelopmentPackages(metafile) {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const installed = new Set(Object.keys({ ...dependencies, ...optionalDependencies }));
  const refused = Object.values(metafile.outputs)
    .flatMap(({ imports }) => imports.filter((one) => one.external === true).map((one) => one.path))
    .filter((path) => !isBuiltin(path))
    .map((path) => path.split('/', path.startsWith('@') ? 2 : 1).join('/'))
    .filter((name) => !installed.has(name));
  if (refused.length > 0) {
    throw new Error(`Not among the dependencies of package.json: ${[...new Set(refused)].join(', ')}`);
  }
}
