// The folder of a command that has servers of its own (a benchmark, a run under faults): removed however it ends,
// because a cluster and its logs grow to gigabytes. If the command was killed, the next one of its kind removes its
// folder.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandContext } from './command.ts';
import { claimFolder, FolderInUseError } from './parts/claim.ts';
import { openHome } from './parts/home.ts';
import { postgresFolders } from './parts/postgres-home.ts';
import type { Environment } from '../core/environment-variables.ts';

export interface ThrowawayPlace {
  readonly env: Environment;
  readonly folder: string;
  /** For downloaded programs. */
  readonly binFolder: string;
  /** Run at the end, in reverse order, also after a failure or Ctrl-C. */
  readonly atEnd: (work: () => Promise<unknown>) => void;
}

/**
 * @param kind with which the name of its folder begins: `bench` or `chaos`
 * @returns exit code: that of `run`, or of the signal that ended it
 */
export async function inThrowawayPlace(
  { env, folder: home, interruption, terminal }: CommandContext,
  { kind, name }: { readonly kind: string; readonly name: string },
  run: (place: ThrowawayPlace) => Promise<number>,
): Promise<number> {
  openHome(home);
  await removeLeftovers(home, `${kind}-`);
  const folder = join(home, `${kind}-${name}-${process.pid}`);
  mkdirSync(folder);
  const claim = await claimFolder(folder);
  const remove = () => removeFolder(folder);
  process.once('exit', remove); // also if everything is killed at once
  const ends: (() => Promise<unknown>)[] = [];
  const interrupted = new Promise<number>((resolve) => {
    interruption.handTo((code) => {
      terminal.line('▶ Stopping (Ctrl-C again ends everything at once)');
      resolve(code);
    });
  });
  const place: ThrowawayPlace = {
    env,
    folder,
    binFolder: join(home, 'bin'),
    atEnd: (work) => void ends.push(work),
  };
  try {
    return await Promise.race([run(place), interrupted]);
  } finally {
    for (const end of ends.reverse()) await end().catch(() => undefined); // the others must still be ended
    claim.release();
    remove();
    process.off('exit', remove); // another run may follow in this process
  }
}

async function removeLeftovers(home: string, prefix: string): Promise<void> {
  for (const name of readdirSync(home).filter((entry) => entry.startsWith(prefix))) {
    const folder = join(home, name);
    try {
      const claim = await claimFolder(folder);
      removeFolder(folder);
      claim.release();
    } catch (error) {
      if (!(error instanceof FolderInUseError)) throw error; // another one of its kind, at this moment
    }
  }
}

/** Postgres may still be shutting down if everything is killed at once. */
function removeFolder(folder: string): void {
  const clusters = [join(folder, 'postgres'), join(folder, 'servers', 'postgres')];
  for (const path of [...clusters.flatMap((cluster) => [...postgresFolders(cluster)]), folder]) {
    rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
