// Removes the data of the demo, so that the next start begins with the seed data. It must not touch the data
// of a running server, or files that Isthmus did not create.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { claimFolder, claimName } from './claim.ts';
import { ownEntries, refuseStrange } from './home.ts';
import { postgresFolders } from './postgres-home.ts';
import { removeLeftovers } from './throwaway-folders.ts';

/**
 * @param all whether to remove the fetched Temporal server too
 * @returns the removed paths, and a reason for each throwaway folder that was not removed
 * @throws FolderInUseError while a demo uses the folder; UserError if the folder belongs to another program.
 *   In both cases nothing is removed.
 */
export function resetFolder({ folder, all }: { readonly folder: string; readonly all: boolean }) {
  if (!existsSync(folder)) return { removed: [], left: [] };
  refuseStrange(folder); // before claimFolder, because it creates a lock file in the folder
  const claim = claimFolder(folder);
  try {
    const kept = all ? [claimName] : [claimName, 'bin'];
    const { removed, left } = removeLeftovers(folder);
    const own = ownEntries(folder).filter((name) => !kept.includes(name));
    const paths = own.map((name) => join(folder, name));
    for (const path of [...postgresFolders(join(folder, 'postgres')), ...paths])
      rmSync(path, { recursive: true, force: true });
    return { removed: [...paths, ...removed], left };
  } finally {
    claim.release();
  }
}
