// Removes the data of the demo: the next start begins with the seed data. It must not touch a server that runs.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { claimFolder, claimName } from './claim.ts';
import { ownEntries, refuseStrange } from './home.ts';
import { postgresFolders } from './postgres-home.ts';

export interface ResetOptions {
  /** `.isthmus` */
  readonly folder: string;
  /** Also the fetched Temporal server. */
  readonly all: boolean;
}

/**
 * @returns the paths that it removed
 * @throws FolderInUseError while a demo runs on the folder; UserError when it holds what is not ours
 */
export async function resetFolder(options: ResetOptions): Promise<readonly string[]> {
  if (!existsSync(options.folder)) return [];
  refuseStrange(options.folder); // before a claim leaves its file in it
  const claim = await claimFolder(options.folder);
  try {
    const kept = options.all ? [] : ['bin'];
    const inside = ownEntries(options.folder)
      .filter((name) => !kept.includes(name) && name !== claimName)
      .map((name) => join(options.folder, name));
    const postgres = postgresFolders(join(options.folder, 'postgres'));
    const paths = [...new Set([...inside, ...postgres])];
    for (const path of paths) rmSync(path, { recursive: true, force: true });
    return inside;
  } finally {
    claim.release();
  }
}
