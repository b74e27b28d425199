// One process at a time owns a data folder: two servers on one set of files would destroy it.
// A socket, not a file with a number in it: when the owner dies, however, the system lets go of it.
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
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
  if (owner !== undefined) {
    throw new FolderInUseError(
      `Process ${owner} already runs Isthmus on ${folder}. Use the addresses it printed, or stop it first.`,
    );
  }
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(String(process.pid));
  });
  try {
    rmSync(path, { force: true }); // of an owner that died
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, () => resolve());
    });
  } catch (error) {
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

/** In the temporary folder: a socket's path may have 103 characters at most, a project's may have more. */
function socketPath(folder: string): string {
  const name = createHash('sha256').update(absolute(folder)).digest('hex').slice(0, 16);
  return join(tmpdir(), `isthmus-${name}.sock`);
}

/** Process number of the live owner. */
function askOwner(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => (text += chunk));
    socket.once('error', () => resolve(undefined));
    socket.once('close', () => resolve(text === '' ? undefined : text));
  });
}
