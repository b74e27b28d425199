// A disk that is full in the middle of a line, and then is not: the line that was cut stays on its own (OBS-1).
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'isthmus-log-'));
afterAll(() => rmSync(folder, { recursive: true }));

const program = `
  import { createLogStream } from './telemetry/log-stream.ts';
  const stream = createLogStream();
  const say = (name, count) => {
    for (let index = 0; index < count; index += 1)
      stream.write(JSON.stringify({ name, index, text: 'x'.repeat(1_000) }) + '\\n');
  };
  say('first', 20);
  setTimeout(() => process.stderr.write('full'), 300);
  process.stdin.once('data', () => {
    say('second', 2);
    setTimeout(() => process.exit(0), 2_000);
  });`;

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;
const note = hasPrlimit ? '' : ' (skipped: no prlimit on this machine)';

test.skipIf(!hasPrlimit)(
  `what is said after a disk was full is whole lines, and what could not be written is counted (OBS-1)${note}`,
  async () => {
    const path = join(folder, 'log');
    // the size that a file may have, 4 KiB, is lifted later, as a disk that is freed
    const command = `ulimit -S -f 8; exec "$0" --input-type=module -e "$1" >> "$2"`;
    const child = spawn('sh', ['-c', command, process.execPath, program, path], {
      cwd: join(import.meta.dirname, '..', '..'),
      stdio: ['pipe', 'ignore', 'pipe'],
      env: { ...process.env, TSX_DISABLE_CACHE: '1' },
    });
    await once(child.stderr, 'data');
    execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited']);
    child.stdin.write('freed\n');
    await once(child, 'exit');
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    const parsed = lines.map((line) => {
      try {
        return JSON.parse(line) as { name?: string; index?: number; lost?: number };
      } catch {
        return { broken: line.slice(0, 30), characters: line.length };
      }
    });
    const names = (name: string) => parsed.filter((one) => 'name' in one && one.name === name);
    const lost = parsed.flatMap((one) => ('lost' in one ? [one.lost] : []));
    expect(names('second').map((one) => ('index' in one ? one.index : undefined))).toEqual([0, 1]);
    expect(lost).toEqual([20 - names('first').length]);
  },
  20_000,
);
