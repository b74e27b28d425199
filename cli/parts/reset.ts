// Removes the data of the demo: the next start begins with the seed data. It must not touch a server that runs.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { claimFolder } from './claim.ts';
import { postgresFolders } from './postgres-home.ts';

export interface ResetOptions {
  /** `.isthmus` */
  readonly folder: string;
  /** Also the fetched Temporal server. */
  readonly all: boolean;
}

/**
 * @returns the paths that it removed
 * @throws FolderInUseError while a demo runs on the folder
 */
export async function resetFolder(options: ResetOptions): Promise<readonly string[]> {
  const claim = await claimFolder(options.folder);
  try {
    const kept = options.all ? [] : ['bin'];
    const inside = list(options.folder)
      .filter((name) => !kept.includes(name))
      .map((name) => join(options.folder, name));
    const postgres = postgresFolders(join(options.folder, 'postgres'));
    const paths = [...new Set([...inside, ...postgres])];
    for (const path of paths) rmSync(path, { recursive: true, force: true });
    return inside;
  } finally {
    await claim.release();
  }
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
