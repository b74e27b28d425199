// Builds what the container images run: one file per process, npm packages left outside, and the workflow bundle.
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleWorkflows } from './bundle-workflows.mjs';
import { entries } from './entries.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

rmSync(`${root}dist`, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: entries,
  outdir: 'dist',
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  sourcemap: true,
  metafile: true,
  logLevel: 'warning',
});
for (const [path, { bytes }] of Object.entries(metafile.outputs)) {
  if (path.endsWith('.js')) console.log(`${path} ${(bytes / 1_024).toFixed(0)} KiB`);
}
await bundleWorkflows(`${root}dist/workflow-bundle.js`);
console.log('dist/workflow-bundle.js');
