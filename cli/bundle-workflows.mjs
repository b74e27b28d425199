// Bundles the workflow code for production and for tests. The bundler refuses what a workflow must not import, and so
// proves that it imports nothing forbidden.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

/** What the bundler says goes to standard error, warnings and worse only: progress is the caller's to tell. */
const logger = {
  /** @param {string} level @param {string} message */
  log(level, message) {
    if (level === 'WARN' || level === 'ERROR') console.error(`${level} ${message}`);
  },
  trace() {},
  debug() {},
  info() {},
  /** @param {string} message */
  warn: (message) => console.error(message),
  /** @param {string} message */
  error: (message) => console.error(message),
};

const root = fileURLToPath(new URL('..', import.meta.url));
/** @param {string} name of a file of this project */
const ours = (name) => join(root, name);

/**
 * The same bytes from every folder: whoever builds a release again can compare it. Of the source map lines alone, because
 * columns of what the SDK generates follow its absolute paths.
 * @param {Parameters<NonNullable<import('@temporalio/worker').BundleOptions['webpackConfigHook']>>[0]} config
 */
const anywhere = (config) => ({
  ...config,
  context: root,
  devtool: /** @type {const} */ ('inline-cheap-module-source-map'),
  output: { ...config.output, filename: 'workflow-bundle.js' },
});

/** @param {string} code whose source map names files of this machine @returns by their places in the project */
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
    logger,
  });
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, withoutFolder(code));
}
