// The temporary folder of a command that starts its own servers: a benchmark or a fault-injection run. A
// Postgres cluster and its logs grow to gigabytes, so the command removes the folder even after a failure. If
// the command was killed, the next command of the same kind removes the folder.
import { join } from 'node:path';
import type { CommandContext } from './command.ts';
import { openHome } from './parts/home.ts';
import {
  makeThrowaway,
  removeLeftovers,
  removeThrowaway,
  type ThrowawayKind,
} from './parts/throwaway-folders.ts';
import type { Environment } from '../core/settings/environment-variables.ts';

export interface ThrowawayPlace {
  readonly env: Environment;
  readonly folder: string;
  /** Folder for downloaded programs. */
  readonly binFolder: string;
  /** Registers work to run at the end, in reverse order, even after a failure or Ctrl-C. */
  readonly atEnd: (work: () => Promise<unknown>) => void;
}

/** @returns exit code of `run`, or of the signal that interrupted it */
export async function inThrowawayPlace(
  { env, folder: home, interruption, terminal }: CommandContext,
  made: { readonly kind: ThrowawayKind; readonly name: string },
  run: (place: ThrowawayPlace) => Promise<number>,
): Promise<number> {
  openHome(home);
  for (const why of removeLeftovers(home, made.kind).left) terminal.line(`! ${why}`);
  const own = makeThrowaway(home, made);
  const { folder } = own;
  const remove = () => removeThrowaway(own);
  process.once('exit', remove); // runs even after a second Ctrl-C
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
    // a failure must not keep the other cleanup steps from running
    for (const end of ends.reverse()) await end().catch(() => undefined);
    remove();
    process.off('exit', remove); // another benchmark may follow in this process
  }
}
