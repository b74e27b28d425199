// The folder of data, logs and fetched programs: made, and found fit for use, before anything is started in it. It must
// never touch what is not ours.
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, statfsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { claimName } from './claim.ts';
import { isThrowawayName } from './throwaway-folders.ts';
import { fileReason, UserError } from '../errors.ts';

const leastFreeBytes = 500_000_000; // a cluster and its log after an hour of payments, and the Temporal server

/** What Isthmus makes in its folder, beside throwaway folders. */
const ours =
  /^(bin|image|postgres|temporal|logs|journal|run\.json|run\.json\.new|ports\.json|owner\.lock|claim\.sock[\w.-]*|error\.log|[a-z-]+(-\d+)?\.(log|pid)|workflow-bundle-.*|bench|chaos)$/;
/** What systems put into every folder. */
const everywhere = /^(lost\+found|\.DS_Store)$/;
/** The folder of a project, which nobody else uses. */
const ownName = '.isthmus';

/**
 * Makes the folder where it is missing.
 * @throws UserError when it cannot be made or written to, holds other things than ours, or its disk is nearly full
 */
export function openHome(folder: string): void {
  try {
    // in one step where that is enough: of several, Node's way never ends where the kernel makes no folder, as in /proc
    if (!existsSync(folder)) mkdirSync(folder, { recursive: !existsSync(dirname(folder)) });
    refuseStrange(folder);
    closeSync(openSync(join(folder, claimName), 'a', 0o600)); // from now on it is ours
  } catch (error) {
    const reason = fileReason(error);
    if (reason === undefined) throw error;
    throw unusable(folder, `it cannot be written to: ${reason}`);
  }
  const { bavail, bsize, blocks } = statfsSync(folder);
  const freeBytes = bavail * bsize;
  if (blocks > 0 && freeBytes < leastFreeBytes) {
    const [free, least] = [freeBytes, leastFreeBytes].map((bytes) => Math.floor(bytes / 1e6));
    throw unusable(folder, `its disk has ${String(free)} MB left, and ${String(least)} MB are needed`);
  }
}

/** What we made in the folder, beside throwaway folders. */
export function ownEntries(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => ours.test(name));
}

/**
 * A folder is ours where we have left our mark, or by its name; an empty one may become ours.
 * @throws UserError when it is somebody's, or there is anything else in it than what we made
 */
export function refuseStrange(folder: string): void {
  if (basename(folder) === ownName) return;
  const names = readdirSync(folder).filter((name) => !everywhere.test(name));
  const isMarked = names.includes(claimName);
  const strange = isMarked ? names.filter((name) => !ours.test(name) && !isThrowawayName(name)) : names;
  const [first] = strange.sort();
  if (first === undefined) return;
  const why = isMarked
    ? 'that are not from Isthmus'
    : `and no ${claimName}, which Isthmus leaves in its folder`;
  throw new UserError(
    `ISTHMUS_HOME=${folder} holds files ${why} (${first}). Set ISTHMUS_HOME to an empty folder, or to one that does not exist yet.`,
  );
}

function unusable(folder: string, why: string): UserError {
  return new UserError(
    `ISTHMUS_HOME, the folder for data and logs, cannot be ${folder}: ${why}. Set ISTHMUS_HOME to another folder.`,
  );
}
