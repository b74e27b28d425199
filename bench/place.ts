// A benchmark's own folder, removed however it ends, because its cluster and logs grow to gigabytes. If a benchmark was killed,
// the next one removes its folder.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandContext } from '../cli/command.ts';
import { claimFolder, FolderInUseError } from '../cli/parts/claim.ts';
import { openHome } from '../cli/parts/home.ts';
import { postgresFolders } from '../cli/parts/postgres-home.ts';
import type { Environment } from '../core/config.ts';

export interface BenchPlace {
  readonly env: Environment;
  readonly folder: string;
  /** For downloaded programs. */
  readonly binFolder: string;
  /** Run at the end, in reverse order, also after a failure or Ctrl-C. */
  readonly atEnd: (work: () => Promise<unknown>) => void;
}

const prefix = 'bench-';

/** @returns exit code: 0, or that of the signal that ended it */
export async function inBenchPlace(
  { env, folder: home, interruption, terminal }: CommandContext,
  name: string,
  run: (place: BenchPlace) => Promise<void>,
): Promise<number> {
  openHome(home);
  await removeLeftovers(home);
  const folder = join(home, `${prefix}${name}-${process.pid}`);
  mkdirSync(folder);
  const claim = await claimFolder(folder);
  process.once('exit', () => removeFolder(folder)); // also if everything is killed at once
  const ends: (() => Promise<unknown>)[] = [];
  const interrupted = new Promise<number>((resolve) => {
    interruption.handTo((code) => {
      terminal.line('▶ Stopping (Ctrl-C again ends everything at once)');
      resolve(code);
    });
  });
  const place: BenchPlace = {
    env,
    folder,
    binFolder: join(home, 'bin'),
    atEnd: (work) => void ends.push(work),
  };
  try {
    return await Promise.race([run(place).then(() => 0), interrupted]);
  } finally {
    for (const end of ends.reverse()) await end().catch(() => undefined); // the others must still be ended
    await claim.release();
  }
}

async function removeLeftovers(home: string): Promise<void> {
  for (const name of readdirSync(home).filter((entry) => entry.startsWith(prefix) || entry === 'bench')) {
    const folder = join(home, name);
    try {
      const claim = await claimFolder(folder);
      removeFolder(folder);
      await claim.release();
    } catch (error) {
      if (!(error instanceof FolderInUseError)) throw error; // another benchmark, at this moment
    }
  }
}

/** Postgres may still be shutting down if everything is killed at once. */
function removeFolder(folder: string): void {
  for (const path of [...postgresFolders(join(folder, 'postgres')), folder]) {
    rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
