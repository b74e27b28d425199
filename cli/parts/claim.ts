// One process at a time owns a data folder: two servers on one set of files would destroy it.
// A socket, not a file with a number in it: when the owner dies, however, the system lets go of it.
import { createHash, randomUUID } from 'node:crypto';
import { closeSync, linkSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve as absolute } from 'node:path';
import { codeOf, fileReason, reasonOf, UserError } from '../errors.ts';

/** Of the socket in a folder; what begins with it is a claim, too. */
export const claimName = 'claim.sock';
const asideMark = '-left';

export interface Claim {
  release(): Promise<void>;
}

/** Somebody else, alive, owns the folder. */
export class FolderInUseError extends UserError {
  override readonly name = 'FolderInUseError';
}

/**
 * Becomes the owner of a data folder until `release` or the end of this process.
 * @throws FolderInUseError when another live process is
 */
export async function claimFolder(folder: string): Promise<Claim> {
  const held: Claim[] = [];
  const release = async () => {
    for (const one of held.toReversed()) await one.release();
  };
  try {
    for (const place of placesOf(folder)) held.push(await claimPlace(place, folder));
  } catch (error) {
    await release();
    throw error;
  }
  return { release };
}

/** @internal exported for tests */
export async function claimPlace(place: Place, folder: string): Promise<Claim> {
  const opened = place.open();
  try {
    const found = inodeAt(opened.path);
    const owner = (await askOwner(opened.path)) ?? (await askAside(opened.path));
    if (owner !== undefined) throw inUse(owner, folder);
    const server = isAbstract(opened.path)
      ? await listen(opened.path)
      : await listenInstead(opened.path, found);
    if (server === undefined) throw inUse((await askOwner(opened.path)) ?? 'another', folder);
    server.unref();
    for (const aside of besides(opened.path))
      if ((await askOwner(aside)) === undefined) rmSync(aside, { force: true });
    return {
      release: () =>
        new Promise((resolve) => {
          if (!isAbstract(opened.path)) rmSync(opened.path, { force: true }); // nobody else has taken it while it was answered
          server.close(() => {
            opened.close();
            resolve();
          });
        }),
    };
  } catch (error) {
    opened.close();
    if (error instanceof UserError) throw error;
    throw new UserError(
      `${place.called}, the socket that marks the folder as in use, cannot be created: ${fileReason(error) ?? reasonOf(error)}. ${place.advice}`,
      { cause: error },
    );
  }
}

/** @returns undefined where somebody has it who asked at the same moment */
async function listen(path: string): Promise<Server | undefined> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(String(process.pid));
  });
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, () => resolve());
    });
    return server;
  } catch (error) {
    if (codeOf(error) === 'EADDRINUSE' && isAbstract(path)) return undefined;
    throw error;
  }
}

/**
 * In place of the socket that an owner left who died. Of those who ask at the same moment each takes away what it found, and
 * nothing else, and each gives its own the name that only one can have.
 * @param left inode of the socket that nobody answered at
 */
async function listenInstead(path: string, left: bigint | undefined): Promise<Server | undefined> {
  const own = `${path}.${process.pid}-${randomUUID().slice(0, 8)}`;
  const server = await listen(own); // before the other goes, so that it is another inode
  let hasIt = false;
  try {
    if (left === undefined || takeAway(path, left, `${own}${asideMark}`)) hasIt = linkIfFree(own, path);
    return hasIt ? server : undefined;
  } finally {
    rmSync(own, { force: true });
    if (!hasIt) server?.close();
  }
}

function linkIfFree(own: string, path: string): boolean {
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** What whoever took a socket away has left, where it was killed before it was done. */
function besides(path: string): readonly string[] {
  if (isAbstract(path)) return [];
  const [folder, name] = [dirname(path), `${basename(path)}.`];
  return readdirSync(folder)
    .filter((one) => one.startsWith(name))
    .map((one) => join(folder, one));
}

/** The owner of a socket that was taken away while it was alive, and could not be put back. */
async function askAside(path: string): Promise<string | undefined> {
  for (const aside of besides(path).filter((one) => one.endsWith(asideMark))) {
    const owner = await askOwner(aside);
    if (owner !== undefined) return owner;
  }
  return undefined;
}

/** @returns false where another socket is there by now: it is left */
function takeAway(path: string, inode: bigint, aside: string): boolean {
  try {
    renameSync(path, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return true; // somebody else has done so
    throw error;
  }
  const isIt = inodeAt(aside) === inode;
  if (!isIt) linkSync(aside, path);
  rmSync(aside, { force: true });
  return isIt;
}

/** @throws what `fileReason` knows when something else is there */
function inodeAt(path: string): bigint | undefined {
  if (isAbstract(path)) return undefined;
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (found?.isSocket() === false) throw Object.assign(new Error('no socket'), { code: 'EEXIST' });
  return found?.ino;
}

/** Process number of whoever owns a folder at this moment. */
export async function ownerOf(folder: string): Promise<string | undefined> {
  for (const place of placesOf(folder)) {
    const opened = place.open();
    const owner = await askOwner(opened.path).finally(() => opened.close());
    if (owner !== undefined) return owner;
  }
  return undefined;
}

function inUse(owner: string, folder: string): FolderInUseError {
  return new FolderInUseError(
    `Process ${owner} already runs Isthmus on ${folder}. npm run where prints its addresses; stop it before you start another.`,
  );
}

/** Where an owner is asked for. */
interface Place {
  /** For a person. */
  readonly called: string;
  /** Where it cannot be had. */
  readonly advice: string;
  /** The path is good until it is closed. */
  readonly open: () => { readonly path: string; readonly close: () => void };
}

/**
 * Of the folder itself, whatever it is called. On Linux a name and no file, which only one process can have, depends on no
 * temporary folder and goes with its owner; but each network has names of its own, as a container has. So there is a
 * socket in the folder too, which whoever has the folder sees. Elsewhere in the temporary folder, because a socket's path
 * may have 103 characters at most, and a project's may have more.
 * @internal exported for tests
 */
export function placesOf(folder: string): readonly Place[] {
  const found = statSync(folder, { bigint: true, throwIfNoEntry: false });
  const identity = found === undefined ? absolute(folder) : `${found.dev}:${found.ino}`;
  const name = createHash('sha256').update(identity).digest('hex').slice(0, 16);
  const at = (path: string): Place => ({
    called: path.replace('\0', '@'), // as ss and /proc/net/unix write it
    advice: 'Remove it if it is there, or set TMPDIR to a folder that you may write to.',
    open: () => ({ path, close: () => undefined }),
  });
  if (process.platform !== 'linux') return [at(join(tmpdir(), `isthmus-${name}.sock`))];
  const abstract = at(`\0isthmus-${name}`);
  if (found === undefined) return [abstract];
  const inFolder: Place = {
    called: join(folder, claimName),
    advice:
      'Set ISTHMUS_HOME to a folder that you may write to, on a file system that has sockets: one of this machine, not one that it shares with another.',
    open: () => openedIn(folder),
  };
  return [abstract, inFolder];
}

/** However long the folder's path is, this one is short. */
function openedIn(folder: string): ReturnType<Place['open']> {
  const descriptor = openSync(folder, 'r');
  return { path: `/proc/self/fd/${descriptor}/${claimName}`, close: () => closeSync(descriptor) };
}

const isAbstract = (path: string) => path.startsWith('\0');

const askMs = 2_000;
const mostDigits = 10;
const nobody: readonly string[] = ['ENOENT', 'ECONNREFUSED', 'ENOTDIR', 'ENOTSOCK'];

/** Process number of the live owner; what is no number, or comes in bits, is `another`: whoever may have the name. */
function askOwner(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    let text = '';
    let isThere = false;
    socket.setEncoding('utf8');
    socket.once('connect', () => (isThere = true));
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > mostDigits) socket.destroy();
    });
    const timer = setTimeout(() => socket.destroy(), askMs); // it stands still: it has the folder all the same
    // a queue that is full is somebody's who stands still
    socket.on('error', (error) => (isThere ||= !nobody.includes(codeOf(error) ?? '')));
    socket.once('close', () => {
      clearTimeout(timer);
      resolve(/^\d{1,10}$/.test(text) ? text : isThere ? 'another' : undefined);
    });
  });
}
