// The log of a process as it is deployed: built, and run by node alone, whose pipe blocks who writes to it (under a loader
// for TypeScript it does not). Nobody who reads, or reads late, keeps the process from its end (OBS-1, OBS-4).
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { builtLog, endsUnread } from './built-log.ts';

const { programOf } = await builtLog();

test.each([400, 3_000])(
  'a process that is asked to end after %i ms ends at once, though nobody reads its log (OBS-1, OBS-4)',
  async (ms) => {
    const path = programOf(
      `unread-${ms}`,
      `setInterval(() => { for (let count = 0; count < 20; count += 1) stream.write('x'.repeat(1_000) + '\\n'); }, 20);
       setTimeout(() => process.exit(0), ${ms});`,
    );
    // the pipe of a shell, whose reader does not read
    const command = '("$0" "$1"; echo "$?" >&2) | sleep 15';
    expect(await endsUnread(command, ms + 5_000, path)).toBe('0');
  },
  20_000,
);

test.each(['process.exit(0);', "throw new Error('crash');", ''])(
  'what a process had said before its end (%s) is whole and in order, where its reader comes late (OBS-1)',
  async (end) => {
    const path = programOf(
      `late-${end.length}`,
      `for (let count = 0; count < 2_000; count += 1) stream.write(count + ' ' + 'x'.repeat(1_000) + '\\n');
       setTimeout(() => { stream.write('2000 ' + 'x'.repeat(1_000) + '\\n'); ${end} }, 20);`,
    );
    const command = '"$0" "$1" 2>/dev/null | (sleep 0.3; cat)';
    const { stdout } = await promisify(execFile)('sh', ['-c', command, process.execPath, path], {
      maxBuffer: 10_000_000,
    });
    const said = stdout.split('\n').slice(0, -1);
    const broken = said.filter((line) => !/^\d+ x{1000}$/.test(line)).map((line) => line.length);
    const numbers = said.map((line) => Number.parseInt(line, 10));
    const isInOrder = numbers.every((number, index) => number === index);
    expect({ told: said.length, broken, isInOrder }).toEqual({ told: 2_001, broken: [], isInOrder: true });
  },
  20_000,
);
