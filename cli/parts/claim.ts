// Makes sure that only one process uses a data folder, because two servers would destroy each other's files.
// It uses a file lock, which the kernel releases when the owner dies. The lock file itself is never removed.
import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { tryLock } from 'fs-native-extensions';
import { fileReason, reasonOf, UserError } from '../errors.ts';

/** Name of the lock file. */
export const claimName = 'owner.lock';

export interface Claim {
  /** Releases the folder. May be called twice. */
  release(): void;
}

/** Thrown if another live process owns the folder. */
export class FolderInUseError extends UserError {
  override readonly name = 'FolderInUseError';
}

/**
 * Makes this process the owner of an existing data folder, until it calls `release` or ends.
 * @throws FolderInUseError if another live process owns the folder; UserError if locking fails
 */
export function claimFolder(folder: string): Claim {
  const path = join(folder, claimName);
  let file: number | undefined;
  try {
    // Only the owner may open the file, because any process that can open it could lock it.
    file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    if (!tryLock(file)) {
      const owner = readFileSync(path, 'utf8').trim() || 'another';
      throw new FolderInUseError(
        `Process ${owner} already runs Isthmus on ${folder}. Stop it where it runs (Ctrl-C), then run this again.`,
      );
    }
    writeNumber(file);
  } catch (error) {
    if (file !== undefined) closeSync(file);
    if (error instanceof UserError) throw error;
    throw new UserError(
      `${path}, which marks the folder as in use, cannot be locked: ${fileReason(error) ?? reasonOf(error)}. Mend that, or set ISTHMUS_HOME to a folder of your own.`,
      { cause: error },
    );
  }
  let held: number | undefined = file;
  return {
    release: () => {
      if (held !== undefined) closeSync(held);
      held = undefined;
    },
  };
}

function writeNumber(file: number): void {
  try {
    ftruncateSync(file);
    writeSync(file, `${process.pid}\n`, 0);
  } catch {
    // Ignore a full disk. The process id only informs the user, and `reset` must still be able to free space.
  }
}
