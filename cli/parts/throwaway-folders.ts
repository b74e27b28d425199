// The folders within the home of commands that have servers of their own: benchmarks, runs under faults, the tests. Each
// is owned (claim.ts) from before it has its name until it is removed, and whoever removes one owns it first, so that
// nobody loses the data of servers that run.
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { claimFolder, claimName, FolderInUseError, type Claim } from './claim.ts';
import { postgresFolders } from './postgres-home.ts';

/** With what the names of their folders begin. */
export type ThrowawayKind = 'bench' | 'chaos' | 'test';

const unnamed = 'new-';

/** @returns those of a kind, or all; a link or a file of such a name is somebody's own */
export function throwawayFolders(home: string, kind?: ThrowawayKind): readonly string[] {
  const named = kind === undefined ? /^(bench|chaos|test|new)-/ : new RegExp(`^${kind}-`);
  return readdirSync(home, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && named.test(entry.name))
    .map((entry) => join(home, entry.name));
}

/** A new folder and its owner, this process. */
export async function makeThrowaway(
  home: string,
  { kind, name }: { readonly kind: ThrowawayKind; readonly name: string },
): Promise<{ readonly folder: string; readonly claim: Claim }> {
  const making = mkdtempSync(join(home, `${unnamed}${kind}-${name}-`));
  const claim = await claimFolder(making);
  const folder = join(home, basename(making).slice(unnamed.length));
  renameSync(making, folder);
  return { folder, claim };
}

/**
 * @returns undefined when the folder has gone meanwhile
 * @throws FolderInUseError when another has it; UserError when it cannot be claimed
 */
export async function claimThrowaway(folder: string): Promise<Claim | undefined> {
  try {
    return await claimFolder(folder);
  } catch (error) {
    if (error instanceof FolderInUseError || existsSync(folder)) throw error;
    return undefined;
  }
}

/** Of commands that were killed. */
export async function removeLeftovers(home: string, kind: ThrowawayKind): Promise<void> {
  for (const folder of throwawayFolders(home, kind)) {
    try {
      const claim = await claimThrowaway(folder);
      if (claim !== undefined) removeThrowaway({ folder, claim });
    } catch (error) {
      if (!(error instanceof FolderInUseError)) throw error; // another one of its kind, at this moment
    }
  }
}

/** What is in it first and its owner's mark last, so that nobody finds it without one. */
export function removeThrowaway({ folder, claim }: { readonly folder: string; readonly claim: Claim }): void {
  const clusters = [join(folder, 'postgres'), join(folder, 'servers', 'postgres')];
  const inside = existsSync(folder) ? readdirSync(folder).filter((name) => name !== claimName) : [];
  for (const path of [...clusters.flatMap(postgresFolders), ...inside.map((name) => join(folder, name))]) {
    remove(path);
  }
  remove(folder);
  claim.release();
}

/** Postgres may still be shutting down if everything is killed at once. */
function remove(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
