// Throwaway folders for commands that start their own servers: benchmarks, fault-injection runs, drills, tests. A
// process claims its folder (claim.ts) before it renames the folder to the final name. It holds the claim
// until it has removed the folder. So no other process deletes the data of running servers.
import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { claimFolder, type Claim } from './claim.ts';
import { postgresFolders } from './postgres-home.ts';
import { explain, reasonOf } from '../errors.ts';

/** Prefix of a throwaway folder's name. */
export type ThrowawayKind = 'bench' | 'chaos' | 'drill' | 'test';

const unnamed = 'new-';

/** Whether a name in the home folder belongs to a throwaway folder. */
export const isThrowawayName = (name: string): boolean => /^(new|bench|chaos|drill|test)-/.test(name);

export interface OwnThrowaway {
  readonly folder: string;
  readonly claim: Claim;
}

/** Creates a new throwaway folder and claims it for this process. */
export function makeThrowaway(
  home: string,
  { kind, name }: { readonly kind: ThrowawayKind; readonly name: string },
): OwnThrowaway {
  const making = mkdtempSync(join(home, `${unnamed}${kind}-${name}-`));
  const claim = claimFolder(making);
  const folder = join(home, basename(making).slice(unnamed.length));
  renameSync(making, folder);
  return { folder, claim };
}

/**
 * Removes throwaway folders that killed commands left behind, of one kind or of all kinds. It ignores links
 * and files with such names.
 * @returns the removed folders, and a reason for each folder that was not removed
 */
export function removeLeftovers(home: string, kind?: ThrowawayKind) {
  const removed: string[] = [];
  const left: string[] = [];
  for (const entry of readdirSync(home, { withFileTypes: true })) {
    const isMeant = kind === undefined ? isThrowawayName(entry.name) : entry.name.startsWith(`${kind}-`);
    if (!entry.isDirectory() || !isMeant) continue;
    const folder = join(home, entry.name);
    try {
      removeThrowaway({ folder, claim: claimFolder(folder) });
      removed.push(folder);
    } catch (error) {
      left.push(`${folder} is left where it is: ${explain(error) ?? reasonOf(error)}`);
    }
  }
  return { removed, left };
}

export function removeThrowaway({ folder, claim }: OwnThrowaway): void {
  const clusters = ['', 'servers', 'copy'].map((name) => join(folder, name, 'postgres'));
  for (const path of [...clusters.flatMap(postgresFolders), folder]) {
    // retries, because Postgres may still be stopping
    rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
  claim.release();
}
