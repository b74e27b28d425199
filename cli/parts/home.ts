// Creates the home folder for data, logs and fetched programs, and checks it before any program uses it. It
// must never touch files that Isthmus did not create.
import { closeSync, existsSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { claimName } from './claim.ts';
import { isThrowawayName } from './throwaway-folders.ts';
import { fileReason, UserError } from '../errors.ts';

/** Names of the files and folders that Isthmus creates in its home folder, except throwaway folders. */
const ours =
  /^(bin|image|postgres|temporal|logs|journal|run\.json|run\.json\.new|ports\.json|owner\.lock|claim\.sock[\w.-]*|error\.log|[a-z-]+(-\d+)?\.(log|pid)|workflow-bundle-.*|bench|chaos)$/;
/** Default name of the home folder. No other program uses this name. */
const ownName = '.isthmus';

/**
 * Creates the folder if it is missing.
 * @throws UserError if the folder cannot be created or written to, or belongs to another program
 */
export function openHome(folder: string): void {
  try {
    // If the parent exists, mkdir is not recursive. Node's recursive mkdir never returns if the kernel
    // refuses to create the folder, as in /proc.
    if (!existsSync(folder)) mkdirSync(folder, { recursive: !existsSync(dirname(folder)) });
    refuseStrange(folder);
    closeSync(openSync(join(folder, claimName), 'a', 0o600)); // marks the folder as a folder of Isthmus
  } catch (error) {
    const reason = fileReason(error);
    if (reason === undefined) throw error;
    throw new UserError(
      `ISTHMUS_HOME, the folder for data and logs, cannot be ${folder}: it cannot be written to: ${reason}. Set ISTHMUS_HOME to another folder.`,
    );
  }
}

/** Lists the files and folders that Isthmus created in this folder, except throwaway folders. */
export function ownEntries(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => ours.test(name));
}

/**
 * Refuses a folder that belongs to another program. Isthmus may use a folder that is empty, has the default
 * name, or contains the lock file of Isthmus.
 * @throws UserError if Isthmus may not use the folder, or it has files that Isthmus did not create
 */
export function refuseStrange(folder: string): void {
  if (basename(folder) === ownName) return;
  const names = readdirSync(folder).sort();
  const isMarked = names.includes(claimName);
  const first = names.find((name) => !isMarked || !(ours.test(name) || isThrowawayName(name)));
  if (first === undefined) return;
  const why = isMarked
    ? 'that are not from Isthmus'
    : `and no ${claimName}, which Isthmus leaves in its folder`;
  throw new UserError(
    `ISTHMUS_HOME=${folder} holds files ${why} (${first}). Set ISTHMUS_HOME to an empty folder, or to one that does not exist yet.`,
  );
}
