// The folders within the home of commands that have servers of their own: benchmarks, runs under faults, the tests. Each
// is owned (claim.ts) from before it has its name until it is removed, and whoever removes one owns it first, so that
// nobody loses the data of servers that run.
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { claimFolder, claimName, FolderInUseError, type Claim } from './claim.ts';
import { postgresFolders } from './postgres-home.ts';
import { fileReason, UserError } from '../errors.ts';

/** With what the names of their folders begin. */
export type ThrowawayKind = 'bench' | 'chaos' | 'test';

const unnamed = 'new-';
const kinds = ['bench', 'chaos', 'test'] as const satisfies readonly ThrowawayKind[];

export function isThrowawayName(name: string): boolean {
  return name.startsWith(unnamed) || kinds.some((kind) => name.startsWith(`${kind}-`));
}

/** @returns those of a kind, or all; a link or a file of such a name is somebody's own */
function throwawayFolders(home: string, kind?: ThrowawayKind): readonly string[] {
  const isMeant = kind === undefined ? isThrowawayName : (name: string) => name.startsWith(`${kind}-`);
  return readdirSync(home, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && isMeant(entry.name))
    .map((entry) => join(home, entry.name));
}

export interface OwnThrowaway {
  readonly folder: string;
  readonly claim: Claim;
}

/** A new folder and its owner, this process. */
export async function makeThrowaway(
  home: string,
  { kind, name }: { readonly kind: ThrowawayKind; readonly name: string },
): Promise<OwnThrowaway> {
  const making = mkdtempSync(join(home, `${unnamed}${kind}-${name}-`));
  const claim = await claimFolder(making);
  const folder = join(home, basename(making).slice(unnamed.length));
  renameSync(making, folder);
  return { folder, claim };
}

export interface Leftovers {
  readonly own: readonly OwnThrowaway[];
  readonly inUse: readonly FolderInUseError[];
  /** Why others cannot be claimed: another user made them, as a rule. */
  readonly left: readonly string[];
}

/** All, or those of a kind, that nobody else runs on; this process owns them then. */
export async function claimLeftovers(home: string, kind?: ThrowawayKind): Promise<Leftovers> {
  const own: OwnThrowaway[] = [];
  const inUse: FolderInUseError[] = [];
  const left: string[] = [];
  for (const folder of throwawayFolders(home, kind)) {
    try {
      own.push({ folder, claim: await claimFolder(folder) });
    } catch (error) {
      if (error instanceof FolderInUseError) inUse.push(error);
      else if (!(error instanceof UserError)) throw error;
      else if (existsSync(folder)) left.push(`${folder} is left where it is: ${error.message}`);
    }
  }
  return { own, inUse, left };
}

/**
 * Of commands that were killed.
 * @returns why some are left
 */
export async function removeLeftovers(home: string, kind: ThrowawayKind): Promise<readonly string[]> {
  const { own, left } = await claimLeftovers(home, kind);
  return [...left, ...own.flatMap(removeOrLeave)];
}

/** @returns why it could not be removed */
export function removeOrLeave(own: OwnThrowaway): readonly string[] {
  try {
    removeThrowaway(own);
    return [];
  } catch (error) {
    own.claim.release();
    const reason = fileReason(error);
    if (reason === undefined) throw error;
    return [`${own.folder} cannot be removed: ${reason}. Remove it by hand.`];
  }
}

/** What is in it first and its owner's mark last, so that nobody finds it without one. */
export function removeThrowaway({ folder, claim }: OwnThrowaway): void {
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
