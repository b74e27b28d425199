// Bundles the workflow code for production and for tests. The bundler fails if a workflow imports something forbidden.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const root = fileURLToPath(new URL('..', import.meta.url));
/** @param {string} name of a file of this project */
const ours = (name) => join(root, name);

/**
 * Makes the bundle byte-identical in every folder, so that anyone can rebuild a release and compare it. The source map
 * has lines only, because the SDK generates code whose columns depend on its absolute path.
 * @param {Parameters<NonNullable<import('@temporalio/worker').BundleOptions['webpackConfigHook']>>[0]} config
 */
const anywhere = (config) => ({
  ...config,
  context: root,
  devtool: /** @type {const} */ ('inline-cheap-module-source-map'),
  output: { ...config.output, filename: 'workflow-bundle.js' },
});

/** Replaces absolute paths in the source map by paths in the project. @param {string} code with an inline source map */
function withoutFolder(code) {
  return code.replace(/(?<=sourceMappingURL=data:application\/json;charset=utf-8;base64,)[\w+/=]+/, (map) =>
    Buffer.from(Buffer.from(map, 'base64').toString().replaceAll(root, '')).toString('base64'),
  );
}

/**
 * @param {string} path file to write, for a worker's `workflowBundle: { codePath }`
 * @param {string} [workflowsPath] file that exports the workflows; default: all of ours
 * @throws when a workflow imports something that does not exist in its sandbox
 */
export async function bundleWorkflows(path, workflowsPath = ours('workflows/index.ts')) {
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: [ours('workflows/trace.ts')],
    preloadModules: [ours('workflows/short-stacks.ts')],
    webpackConfigHook: anywhere,
    logger: new DefaultLogger('WARN'),
  });
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, withoutFolder(code));
}
