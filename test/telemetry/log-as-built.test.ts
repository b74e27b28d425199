// The log of a built process that node runs. A reader that does not read its output does not keep it from ending.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'isthmus-log-'));
afterAll(() => rmSync(folder, { recursive: true }));
await build({
  entryPoints: [join(import.meta.dirname, '..', '..', 'telemetry', 'log-stream.ts')],
  outfile: join(folder, 'log-stream.mjs'),
  format: 'esm',
  platform: 'node',
  bundle: true,
});

/** Writes a program that logs without end and exits after `ms`. */
function programThatEndsAfter(ms: number): string {
  const path = join(folder, `unread-${ms}.mjs`);
  writeFileSync(
    path,
    `import { createLogStream } from './log-stream.mjs';
     const stream = createLogStream();
     setInterval(() => { for (let count = 0; count < 20; count += 1) stream.write('x'.repeat(1_000) + '\\n'); }, 20);
     setTimeout(() => process.exit(0), ${ms});`,
  );
  return path;
}

test.each([400, 3_000])(
  'a process that is asked to end after %i ms ends at once, though nobody reads its log (OBS-1, OBS-4)',
  async (ms) => {
    // a shell's pipe whose reader does not read; the shell prints the exit code when the program has ended
    const command = '("$0" "$1"; echo "$?" >&2) | sleep 15';
    const child = spawn('sh', ['-c', command, process.execPath, programThatEndsAfter(ms)], {
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    const { pid } = child;
    if (pid === undefined) throw new Error('it did not start');
    try {
      const ended = once(child.stderr, 'data').then(([data]) => String(data).trim());
      const late = new Promise<string>((resolve) => setTimeout(() => resolve('still there'), ms + 5_000));
      expect(await Promise.race([ended, late])).toBe('0');
    } finally {
      process.kill(-pid, 'SIGKILL'); // its process group
    }
  },
);
