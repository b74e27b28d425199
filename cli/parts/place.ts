// A folder that is moved away from under a running demo may get a successor at its old place. What a process names by
// its path is the successor's then, so the demo ends before it writes there. It must not touch the folder.
import { statSync } from 'node:fs';

/** Of a folder, whatever it is called; undefined when it is not there, or not ours to see. */
export function identityOf(folder: string): string | undefined {
  try {
    const { dev, ino } = statSync(folder, { bigint: true });
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

export function watchPlace(folder: string): WatchedPlace {
  const identity = identityOf(folder);
  let timer: NodeJS.Timeout | undefined;
  const left = new Promise<string>((resolve) => {
    timer = setInterval(() => {
      if (identityOf(folder) === identity) return;
      clearInterval(timer);
      resolve(
        `${folder} was moved or removed while Isthmus ran on it. If it was moved, nothing is lost: start again with ISTHMUS_HOME set to where it is now.`,
      );
    }, lookEveryMs);
    timer.unref();
  });
  return { left, close: () => clearInterval(timer) };
}
