// One process at a time owns a data folder: two servers on one set of files would destroy it. A lock of the kernel on a
// file in the folder goes with its owner, however that dies. The file stays.
import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { tryLock } from 'fs-native-extensions';
import { fileReason, reasonOf, UserError } from '../errors.ts';

/** Of the file in a folder. */
export const claimName = 'owner.lock';

export interface Claim {
  /** May be called twice. */
  release(): void;
}

/** Somebody else, alive, owns the folder. */
export class FolderInUseError extends UserError {
  override readonly name = 'FolderInUseError';
}

/**
 * Becomes the owner of a data folder, which is there, until `release` or the end of this process.
 * @throws FolderInUseError when another live process is; UserError when the folder cannot be marked as in use
 */
export function claimFolder(folder: string): Claim {
  const path = join(folder, claimName);
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600); // whoever can open it could hold it
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
    // it is for a person, and only the lock counts: on a full disk the data can still be removed
  }
}
