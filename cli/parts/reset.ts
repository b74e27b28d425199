// Removes the data of the demo: the next start begins with the seed data. It must not touch a server that runs, nor what
// is somebody's own.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { claimFolder, claimName, type Claim } from './claim.ts';
import { ownEntries, refuseStrange } from './home.ts';
import { elsewhereOf } from './postgres-home.ts';
import { claimLeftovers, removeOrLeave } from './throwaway-folders.ts';

export interface ResetOptions {
  /** `.isthmus` */
  readonly folder: string;
  /** Also the fetched Temporal server. */
  readonly all: boolean;
}

export interface Reset {
  readonly removed: readonly string[];
  /** Why folders of benchmarks or tests are left. */
  readonly left: readonly string[];
}

/**
 * @throws FolderInUseError while a demo runs on the folder, or a benchmark in it; UserError when it is not ours, or holds
 *   what is not. Nothing is removed then.
 */
export async function resetFolder({ folder, all }: ResetOptions): Promise<Reset> {
  if (!existsSync(folder)) return { removed: [], left: [] };
  refuseStrange(folder); // before a claim leaves its file in it
  const claims: Claim[] = [await claimFolder(folder)];
  try {
    const elsewhere = elsewhereOf(join(folder, 'postgres'));
    if (elsewhere !== undefined && existsSync(elsewhere)) claims.push(await claimFolder(elsewhere));
    const { own, inUse, left } = await claimLeftovers(folder);
    claims.push(...own.map(({ claim }) => claim));
    for (const error of inUse) throw error;
    const kept = all ? [claimName] : [claimName, 'bin'];
    const paths = ownEntries(folder)
      .filter((name) => !kept.includes(name))
      .map((name) => join(folder, name));
    if (elsewhere !== undefined) rmSync(elsewhere, { recursive: true, force: true }); // before what names it
    for (const path of paths) rmSync(path, { recursive: true, force: true });
    const notRemoved = own.flatMap(removeOrLeave);
    const removed = [...paths, ...own.map((one) => one.folder)].filter((path) => !existsSync(path));
    return { removed, left: [...left, ...notRemoved] };
  } finally {
    for (const claim of claims) claim.release();
  }
}
