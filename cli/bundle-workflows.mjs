// Bundles the workflow code for production and for tests. The bundler fails if a workflow imports a forbidden
// module.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const root = fileURLToPath(new URL('..', import.meta.url));
/** @param {string} name path of a file, relative to the root of the project */
const ours = (name) => join(root, name);

/**
 * Makes the bundle byte-identical wherever the project is located, so that anyone can rebuild a release and
 * compare it. The source map has only line numbers, because in code that the SDK generates, columns depend on
 * the absolute path.
 * @param {Parameters<NonNullable<import('@temporalio/worker').BundleOptions['webpackConfigHook']>>[0]} config
 */
const anywhere = (config) => ({
  ...config,
  context: root,
  devtool: /** @type {const} */ ('inline-cheap-module-source-map'),
  output: { ...config.output, filename: 'workflow-bundle.js' },
});

/**
 * Makes the absolute paths in the source map relative to the project.
 * @param {string} code with an inline source map
 */
function withoutFolder(code) {
  return code.replace(/(?<=sourceMappingURL=data:application\/json;charset=utf-8;base64,)[\w+/=]+/, (map) =>
    Buffer.from(Buffer.from(map, 'base64').toString().replaceAll(root, '')).toString('base64'),
  );
}

/**
 * @param {string} path file to write; a worker loads it by `workflowBundle: { codePath }`
 * @param {string} [workflowsPath] file that exports the workflows; default: workflows/index.ts
 * @param {{ isTraced?: boolean }} [options] whether the bundle passes traces on (workflows/trace.ts); default true
 * @throws Error if a workflow imports a module that does not exist in the workflow sandbox
 */
export async function bundleWorkflows(
  path,
  workflowsPath = ours('workflows/index.ts'),
  { isTraced = true } = {},
) {
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: isTraced ? [ours('workflows/trace.ts')] : [],
    preloadModules: [ours('workflows/short-stacks.ts')],
    webpackConfigHook: anywhere,
    logger: new DefaultLogger('WARN'),
  });
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, withoutFolder(code));
}
