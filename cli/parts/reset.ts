// Removes the data of the demo, so that the next start begins with the seed data. It must not touch a running server,
// or files that Isthmus did not make.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { claimFolder, claimName } from './claim.ts';
import { ownEntries, refuseStrange } from './home.ts';
import { postgresFolders } from './postgres-home.ts';
import { removeLeftovers } from './throwaway-folders.ts';

/**
 * @param all also the fetched Temporal server
 * @returns the removed paths, and the reasons why folders of benchmarks or tests were left
 * @throws FolderInUseError while a demo uses the folder; UserError if it is not ours. Nothing is removed then.
 */
export function resetFolder({ folder, all }: { readonly folder: string; readonly all: boolean }) {
  if (!existsSync(folder)) return { removed: [], left: [] };
  refuseStrange(folder); // before a claim leaves its file in it
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
