// A project of one file: the real way from npm to a command, with a stand-in for cli/main.ts, so that a start takes a
// fraction of a second. And a look at what runs on this machine, to see that nothing was left.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export const project = resolve(import.meta.dirname, '..', '..');

export interface BareProject {
  readonly root: string;
  readonly remove: () => void;
}

/** @param main source of its cli/main.ts */
export function bareProject(main: string): BareProject {
  const root = mkdtempSync(join(tmpdir(), 'isthmus-bootstrap-'));
  for (const name of ['bootstrap.mjs', 'install.mjs', 'parts/guard.mjs']) {
    cpSync(join(project, 'cli', name), join(root, 'cli', name));
  }
  mkdirSync(join(root, 'node_modules'));
  writeFileSync(join(root, 'cli', 'main.ts'), main);
  const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { scripts: object };
  writeFileSync(join(root, 'package.json'), JSON.stringify({ type: 'module', scripts }));
  for (const path of ['package-lock.json', 'node_modules/.package-lock.json']) {
    writeFileSync(join(root, path), '{ "packages": { "": {} } }');
  }
  return { root, remove: () => rmSync(root, { recursive: true }) };
}

/** Whether processes can be looked at here. */
export const canSeeProcesses = existsSync('/proc/self/environ');

/** Command lines of the processes in whose command line or environment one of the texts stands. */
export function processesWith(...texts: readonly string[]): readonly string[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
      const environment = readFileSync(`/proc/${name}/environ`, 'utf8');
      return texts.some((text) => command.includes(text) || environment.includes(text))
        ? [`${name} ${command.trim().replaceAll(/\s+/g, ' ').slice(0, 120)}`]
        : [];
    } catch {
      return []; // it has ended meanwhile
    }
  });
}

/** Waits until there are none; gives those that are there after the time. */
export async function leftAfter(ms: number, ...texts: readonly string[]): Promise<readonly string[]> {
  const deadline = performance.now() + ms;
  for (;;) {
    const left = processesWith(...texts);
    if (left.length === 0 || performance.now() > deadline) return left;
    await delay(50);
  }
}
