// One process at a time owns a data folder: two servers on one set of files would destroy it.
// A lock of the kernel on a file in the folder: it goes with its owner, however that dies, and is the same whatever the
// folder is called, in each network and container that has it. The file stays, and is its owner's alone
// (mode 0600): whoever else can open it could hold it.
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { tryLock } from 'fs-native-extensions';
import { codeOf, fileReason, reasonOf, UserError } from '../errors.ts';

/** Of the file in a folder. */
export const claimName = 'owner.lock';

export interface Claim {
  release(): void;
}

/** Somebody else, alive, owns the folder. */
export class FolderInUseError extends UserError {
  override readonly name = 'FolderInUseError';
}

const patienceMs = 2_000;
const againAfterMs = 5;

/**
 * Becomes the owner of a data folder, which is there, until `release` or the end of this process.
 * @throws FolderInUseError when another live process is; UserError when the folder cannot be marked as in use
 */
export async function claimFolder(folder: string): Promise<Claim> {
  const path = join(folder, claimName);
  const since = performance.now();
  try {
    for (;;) {
      const { file, owner } = take(path);
      if (file !== undefined) return claimOf(file);
      if (owner !== undefined) throw inUse(owner, folder);
      if (performance.now() - since > patienceMs) throw heldByReader(path);
      await delay(Math.random() * againAfterMs);
    }
  } catch (error) {
    throw error instanceof UserError ? error : unusable(path, 'locked', error);
  }
}

function claimOf(file: number): Claim {
  let isHeld = true;
  return {
    release: () => {
      if (isHeld) closeSync(file); // once: the number may be another file's by then
      isHeld = false;
    },
  };
}

/** @returns the file, locked; else its owner; neither where somebody asks at this moment, or has removed the file */
function take(path: string): { readonly file?: number; readonly owner?: string | undefined } {
  const file = open(path, constants.O_RDWR | constants.O_CREAT);
  let isOurs = false;
  try {
    if (!tryLock(file)) return { owner: ownerIn(file) };
    isOurs = isAt(path, file);
    if (isOurs) {
      fchmodSync(file, 0o600); // also where somebody has opened the folder to all
      writeNumber(file);
    }
    return isOurs ? { file } : {};
  } finally {
    if (!isOurs) closeSync(file);
  }
}

/** No link is followed, and nothing is waited for: what is there may be somebody else's. */
function open(path: string, flags: number): number {
  const { O_NOFOLLOW, O_NONBLOCK } = constants as Partial<typeof constants>; // Windows has neither
  return openSync(path, flags | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0), 0o600);
}

/** Else another may lock the file that is there now. */
function isAt(path: string, file: number): boolean {
  const locked = fstatSync(file, { bigint: true });
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found?.ino === locked.ino && found.dev === locked.dev;
}

const numberBytes = 11; // always as many, so that a shorter one leaves nothing of a longer one

/** For a person; the lock alone counts, so a full disk keeps nobody from removing data. */
function writeNumber(file: number): void {
  try {
    writeSync(file, `${process.pid}\n`.padStart(numberBytes), 0);
  } catch (error) {
    if (!['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '')) throw error;
  }
}

/**
 * Process number of whoever owns a folder at this moment.
 * @throws UserError when it is not this user's to look into
 */
export function ownerOf(folder: string): string | undefined {
  const path = join(folder, claimName);
  let file: number | undefined;
  try {
    file = open(path, constants.O_RDONLY);
    return ownerIn(file);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined;
    throw unusable(path, 'read', error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Whoever asks has the file for a moment, together with all who ask; an owner has it alone. */
function ownerIn(file: number): string | undefined {
  if (tryLock(file, { shared: true })) return undefined;
  const bytes = Buffer.alloc(numberBytes);
  readSync(file, bytes, 0, numberBytes, 0);
  return /^ *(\d+)\n$/.exec(bytes.toString('latin1'))?.[1] ?? 'another'; // it has not written it yet
}

function unusable(path: string, done: 'locked' | 'read', error: unknown): UserError {
  const hasLocks = ['ENOTSUP', 'EOPNOTSUPP', 'ENOLCK', 'ENOSYS'].includes(codeOf(error) ?? '')
    ? ', on a file system that has locks'
    : '';
  return new UserError(
    `${path}, which marks the folder as in use, cannot be ${done}: ${fileReason(error) ?? reasonOf(error)}. Mend that, or set ISTHMUS_HOME to a folder of your own${hasLocks}.`,
    { cause: error },
  );
}

/** Who only asks is done at once. */
function heldByReader(path: string): UserError {
  return new UserError(
    `${path}, which marks the folder as in use, is held for ${patienceMs / 1_000} s by a process that does not run Isthmus on it. fuser ${path} names it: end it, then run this again.`,
  );
}

function inUse(owner: string, folder: string): FolderInUseError {
  return new FolderInUseError(
    `Process ${owner} already runs Isthmus on ${folder}. Stop it where it runs (Ctrl-C), then run this again.`,
  );
}
