// Creates the folder of data, logs and fetched programs, and checks it before anything is started in it. It must never
// touch files that Isthmus did not make.
import { closeSync, existsSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { claimName } from './claim.ts';
import { isThrowawayName } from './throwaway-folders.ts';
import { fileReason, UserError } from '../errors.ts';

/** Names that Isthmus creates in its folder, except throwaway folders. */
const ours =
  /^(bin|image|postgres|temporal|logs|journal|run\.json|run\.json\.new|ports\.json|owner\.lock|claim\.sock[\w.-]*|error\.log|[a-z-]+(-\d+)?\.(log|pid)|workflow-bundle-.*|bench|chaos)$/;
/** Default name of the folder; only Isthmus uses it. */
const ownName = '.isthmus';

/**
 * Creates the folder if it is missing.
 * @throws UserError if it cannot be created or written to, or is not ours
 */
export function openHome(folder: string): void {
  try {
    // Not recursive if the parent exists: Node's recursive mkdir never ends where the kernel refuses a folder, as in
    // /proc.
    if (!existsSync(folder)) mkdirSync(folder, { recursive: !existsSync(dirname(folder)) });
    refuseStrange(folder);
    closeSync(openSync(join(folder, claimName), 'a', 0o600)); // marks the folder as ours
  } catch (error) {
    const reason = fileReason(error);
    if (reason === undefined) throw error;
    throw new UserError(
      `ISTHMUS_HOME, the folder for data and logs, cannot be ${folder}: it cannot be written to: ${reason}. Set ISTHMUS_HOME to another folder.`,
    );
  }
}

/** Files and folders that Isthmus made here, except throwaway folders. */
export function ownEntries(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => ours.test(name));
}

/**
 * A folder is ours if it has our mark or the default name. An empty folder may become ours.
 * @throws UserError if it is not ours, or has files that Isthmus did not make
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
