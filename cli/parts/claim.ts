// One process at a time owns a data folder: two servers on one set of files would destroy it.
// A socket, not a file with a number in it: when the owner dies, however, the system lets go of it.
import { createHash } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve as absolute } from 'node:path';
import { fileReason, reasonOf, UserError } from '../errors.ts';

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
  const path = socketPath(folder);
  const owner = await askOwner(path);
  if (owner !== undefined) throw inUse(owner, folder);
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(String(process.pid));
  });
  try {
    if (!isAbstract(path)) rmSync(path, { force: true }); // of an owner that died
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, () => resolve());
    });
  } catch (error) {
    // somebody who asked at the same moment
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE' && isAbstract(path))
      throw inUse((await askOwner(path)) ?? 'another', folder);
    throw new UserError(
      `${path}, the socket that marks the folder as in use, cannot be created: ${fileReason(error) ?? reasonOf(error)}. ` +
        'Remove it if it is there, or set TMPDIR to a folder that you may write to.',
      { cause: error },
    );
  }
  server.unref();
  return {
    release: () =>
      new Promise((resolve) => {
        server.close(() => resolve()); // also removes the socket
      }),
  };
}

/** Process number of whoever owns a folder at this moment. */
export function ownerOf(folder: string): Promise<string | undefined> {
  return askOwner(socketPath(folder));
}

function inUse(owner: string, folder: string): FolderInUseError {
  return new FolderInUseError(
    `Process ${owner} already runs Isthmus on ${folder}. npm run where prints its addresses; stop it before you start another.`,
  );
}

/**
 * Of the folder itself, whatever it is called. On Linux a name and no file: only one process can have it, it depends on
 * no temporary folder, and it goes with its owner. Elsewhere in the temporary folder, because a socket's path may have
 * 103 characters at most, and a project's may have more.
 */
function socketPath(folder: string): string {
  const found = statSync(folder, { bigint: true, throwIfNoEntry: false });
  const identity = found === undefined ? absolute(folder) : `${found.dev}:${found.ino}`;
  const name = createHash('sha256').update(identity).digest('hex').slice(0, 16);
  return process.platform === 'linux' ? `\0isthmus-${name}` : join(tmpdir(), `isthmus-${name}.sock`);
}

const isAbstract = (path: string) => path.startsWith('\0');

const askMs = 2_000;

/** Process number of the live owner. */
function askOwner(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    let text = '';
    let isThere = false;
    socket.setEncoding('utf8');
    socket.once('connect', () => (isThere = true));
    socket.on('data', (chunk: string) => (text += chunk));
    socket.setTimeout(askMs, () => socket.destroy()); // it stands still: it has the folder all the same
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(text !== '' ? text : isThere ? 'another' : undefined));
  });
}
