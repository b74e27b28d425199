// The log of a process as it is deployed: programs of a test around the built `log-stream.ts`, run by node alone.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll } from 'vitest';

export interface BuiltLog {
  /** Of the test's own, until its end. */
  readonly folder: string;
  /** Writes a program that has the log as `stream`; answers its path. */
  readonly programOf: (name: string, text: string) => string;
}

/** Call it at the top of a test file. */
export async function builtLog(): Promise<BuiltLog> {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-log-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  await build({
    entryPoints: [join(import.meta.dirname, '..', '..', 'telemetry', 'log-stream.ts')],
    outfile: join(folder, 'log-stream.mjs'),
    format: 'esm',
    platform: 'node',
    bundle: true,
  });
  return {
    folder,
    programOf: (name, text) => {
      const path = join(folder, `${name}.mjs`);
      const begin = `import { createLogStream } from './log-stream.mjs';\nconst stream = createLogStream();\n`;
      writeFileSync(path, begin + text);
      return path;
    },
  };
}

/**
 * Runs a program whose log nobody reads: `command` is a shell's, with node as `$0` and `args` as `$1` and on; it says on
 * standard error when the program has ended.
 * @returns what it said first, or `still there` after `withinMs`; nothing of it is left
 */
export async function endsUnread(
  command: string,
  withinMs: number,
  ...args: readonly string[]
): Promise<string> {
  const child = spawn('sh', ['-c', command, process.execPath, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('it did not start');
  try {
    const ended = once(child.stderr, 'data').then(([data]) => String(data).trim());
    const late = new Promise<string>((resolve) => setTimeout(() => resolve('still there'), withinMs));
    return await Promise.race([ended, late]);
  } finally {
    process.kill(-pid, 'SIGKILL'); // its own group
  }
}
