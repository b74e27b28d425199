// The folders within the home of commands that have servers of their own: benchmarks, runs under faults, the tests. Each
// is owned (claim.ts) from before it has its name until it is removed, so that nobody loses the data of servers that run.
import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { claimFolder, type Claim } from './claim.ts';
import { postgresFolders } from './postgres-home.ts';
import { explain, reasonOf } from '../errors.ts';

/** With what the names of their folders begin. */
export type ThrowawayKind = 'bench' | 'chaos' | 'test';

const unnamed = 'new-';

export function isThrowawayName(name: string): boolean {
  return /^(new|bench|chaos|test)-/.test(name);
}

export interface OwnThrowaway {
  readonly folder: string;
  readonly claim: Claim;
}

/** A new folder and its owner, this process. */
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
 * Removes the folders of commands that were killed: of a kind, or all. A link or a file of such a name is not ours.
 * @returns what was removed, and why others are left
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
  const clusters = [join(folder, 'postgres'), join(folder, 'servers', 'postgres')];
  for (const path of [...clusters.flatMap(postgresFolders), folder]) {
    rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }); // Postgres may still be ending
  }
  claim.release();
}
