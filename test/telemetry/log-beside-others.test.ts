// Standard output as others have it too: another process at the same pipe, a terminal that stands still, a reader that comes
// after the end. Lines are whole, and no write holds the process up (OBS-1).
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { builtLog, endsUnread } from './built-log.ts';

const { folder, programOf } = await builtLog();
const run = async (command: string, ...args: string[]) =>
  (await promisify(execFile)('sh', ['-c', command, process.execPath, ...args], { maxBuffer: 20_000_000 }))
    .stdout;

test.each(['cat', '(sleep 1; cat)'])(
  'lines of two processes at one pipe, as api and worker of one container, are whole (OBS-1): read by %s',
  async (reader) => {
    const path = programOf(
      'two',
      `const name = process.argv[2];
       let turns = 0;
       const timer = setInterval(() => {
         for (let count = 0; count < 30; count += 1) stream.write(name + ' ' + 'x'.repeat(300) + '\\n');
         turns += 1;
         if (turns === 40) clearInterval(timer);
       }, 40);`, // longer than the reader takes to come: what waits at the end is given up after half a second
    );
    const said = await run(`("$0" "$1" a & "$0" "$1" b & wait) | ${reader}`, path);
    const lines = said.split('\n').slice(0, -1);
    const broken = lines.filter((line) => !/^[ab] x{300}$/.test(line)).length;
    expect({ lines: lines.length, broken }).toEqual({ lines: 2_400, broken: 0 });
  },
  20_000,
);

/** Says much for 3 s at a pipe or terminal that stands still, then ends; what its turns were late by at most is told. */
const busy = programOf(
  'busy',
  `import { writeFileSync } from 'node:fs';
   let before = performance.now();
   let late = 0;
   setInterval(() => {
     late = Math.max(late, performance.now() - before);
     before = performance.now();
     for (let count = 0; count < 20; count += 1) stream.write('x'.repeat(1_000) + '\\n');
   }, 20);
   setTimeout(() => { writeFileSync(process.argv[2], String(Math.round(late))); process.exit(0); }, 3_000);`,
);

test('a process is not held up where another one at the same unread pipe has started a child (OBS-1, OBS-4)', async () => {
  // who starts a child with the same output sets that to block, for all who have it
  const starts =
    "require('child_process').spawnSync('true', { stdio: 'inherit' }); setTimeout(() => {}, 14_000)";
  const other = `"$0" -e "${starts}"`;
  const command = `( (sleep 1; ${other}) & "$0" "$1" "$2"; echo "$?" >&2) | sleep 15`;
  expect(await endsUnread(command, 12_000, busy, join(folder, 'child'))).toBe('0');
}, 20_000);

test('a process is not held up by a terminal that stands still (OBS-1, OBS-4)', async () => {
  // script has a terminal of its own, and stops reading it once its own output is full
  const told = join(folder, 'terminal');
  const command = `script -qec "'$0' '$1' '$2'; echo ended > '$2.end'" /dev/null </dev/null | (while [ ! -e "$2.end" ]; do sleep 0.2; done; echo 0 >&2)`;
  expect(await endsUnread(command, 12_000, busy, told)).toBe('0');
}, 20_000);

test('who reads only after a process has ended finds whole lines, the last one too (OBS-1)', async () => {
  const path = programOf(
    'late',
    `for (let count = 0; count < 2_000; count += 1) stream.write('x'.repeat(1_000) + '\\n');
     setTimeout(() => process.exit(0), 20);`,
  );
  const said = await run('"$0" "$1" | (sleep 2; cat)', path);
  expect(said.slice(said.lastIndexOf('\n') + 1).length).toBe(0);
}, 20_000);
