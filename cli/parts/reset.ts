// Removes the data of the demo: the next start begins with the seed data. It must not touch a server that runs.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { claimFolder, claimName, type Claim } from './claim.ts';
import { ownEntries, refuseStrange } from './home.ts';
import { postgresFolders } from './postgres-home.ts';
import { claimThrowaway, removeThrowaway, throwawayFolders } from './throwaway-folders.ts';

export interface ResetOptions {
  /** `.isthmus` */
  readonly folder: string;
  /** Also the fetched Temporal server. */
  readonly all: boolean;
}

/**
 * @returns the paths that it removed
 * @throws FolderInUseError while a demo runs on the folder, or a benchmark in it; UserError when it holds what is not ours
 */
export async function resetFolder({ folder, all }: ResetOptions): Promise<readonly string[]> {
  if (!existsSync(folder)) return [];
  refuseStrange(folder); // before a claim leaves its file in it
  const home = await claimFolder(folder);
  const throwaways = new Map<string, Claim>();
  try {
    const kept = all ? [claimName] : [claimName, 'bin'];
    const paths = ownEntries(folder)
      .filter((name) => !kept.includes(name))
      .map((name) => join(folder, name)); // a benchmark that begins from now on is not among them
    for (const path of throwawayFolders(folder).filter((one) => paths.includes(one))) {
      const claim = await claimThrowaway(path);
      if (claim !== undefined) throwaways.set(path, claim);
    }
    for (const path of [...paths, ...postgresFolders(join(folder, 'postgres'))]) {
      const claim = throwaways.get(path);
      if (claim === undefined) rmSync(path, { recursive: true, force: true });
      else removeThrowaway({ folder: path, claim });
    }
    return paths;
  } finally {
    for (const claim of [home, ...throwaways.values()]) claim.release();
  }
}
