// The end of a process whose standard output is read all the while: what it had said by then is seen, whole and in order
// (OBS-1). The pipe is a shell's, as of a container; the reader is `cat`, at once or after a moment.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const cwd = join(import.meta.dirname, '..', '..');

/** Says 2,000 lines of 1,000 characters, goes on for a moment, says one more, and ends. */
const program = (end: string) => `
  import { createLogStream } from './telemetry/log-stream.ts';
  const stream = createLogStream({ endMs: 10_000 }); // so that a busy reader is waited for
  for (let count = 0; count < 2_000; count += 1) stream.write(count + ' ' + 'x'.repeat(1_000) + '\\n');
  setTimeout(() => {
    stream.write('last\\n');
    ${end}
  }, 20);`;

const ends = {
  'by process.exit': 'process.exit(0);',
  'by an exception': "throw new Error('crash');",
  'by itself': '',
};
const readers = { 'at once': 'cat', 'after 300 ms': '(sleep 0.3; cat)' };
const cases = Object.entries(ends).flatMap(([how, end]) =>
  Object.entries(readers).map(([when, reader]) => ({ how, when, end, reader })),
);

test.each(cases)(
  'a process that ends $how, and is read $when, has told all it said, whole and in order (OBS-1)',
  async ({ end, reader }) => {
    const command = `"$0" --input-type=module -e "$1" 2>/dev/null | ${reader}`;
    const { stdout } = await promisify(execFile)('sh', ['-c', command, process.execPath, program(end)], {
      cwd,
      maxBuffer: 10_000_000,
    });
    const said = stdout.split('\n').slice(0, -1);
    const broken = said.filter((line) => line !== 'last' && !/^\d+ x{1000}$/.test(line));
    const numbers = said.map((line) => (line === 'last' ? 2_000 : Number.parseInt(line, 10)));
    expect({
      told: said.length,
      broken: broken.map((line) => `${line.slice(0, 10)}… (${line.length} characters)`),
      inOrder: numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0)),
      isLastSeen: said.includes('last'),
    }).toEqual({ told: 2_001, broken: [], inOrder: true, isLastSeen: true });
  },
);
