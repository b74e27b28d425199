// A folder that is moved away from under a running demo may get a successor at its old place. What a process names by
// its path is the successor's then, so the demo ends before it writes there; also where the mark of its owner was removed, for then another may start beside
// it. It must not touch the folder.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { claimName } from './claim.ts';

/** Of a file or folder, whatever it is called; undefined when it is not there, or not ours to see. */
export function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

export interface WatchedPlace {
  /** Settles when the folder is not at its path any more, with what to tell of it. */
  readonly left: Promise<string>;
  close(): void;
}

const lookEveryMs = 250; // a person who moves a folder and starts another needs longer

/** @param folder that this process has claimed: where the claim's file is another's, or gone, so is the folder */
export function watchPlace(folder: string): WatchedPlace {
  const claim = join(folder, claimName);
  const identity = identityOf(claim);
  let timer: NodeJS.Timeout | undefined;
  const left = new Promise<string>((resolve) => {
    timer = setInterval(() => {
      if (identityOf(claim) === identity) return;
      clearInterval(timer);
      resolve(
        `${folder} was moved, removed or emptied while Isthmus ran on it. If it was moved, nothing is lost: start again with ISTHMUS_HOME set to where it is now.`,
      );
    }, lookEveryMs);
    timer.unref();
  });
  return { left, close: () => clearInterval(timer) };
}
