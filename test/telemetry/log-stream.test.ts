// Standard output that takes nothing, or only now and then: the log loses lines and says how many; the process goes on, and
// ends (OBS-1).
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { createLogStream } from '../../telemetry/log-stream.ts';
import { eventually } from '../harness/wait.ts';

const folder = mkdtempSync(join(tmpdir(), 'isthmus-log-'));
afterAll(() => rmSync(folder, { recursive: true }));
const linesOf = (path: string) => readFileSync(path, 'utf8').split('\n').slice(0, -1);

test('lines come whole and in order', async () => {
  const path = join(folder, 'order');
  const stream = createLogStream({ fd: openSync(path, 'w') });
  const expected = Array.from({ length: 5_000 }, (_, index) => `line ${index} é`);
  for (const [index, line] of expected.entries()) {
    stream.write(`${line}\n`);
    if (index % 500 === 0) await delay(1);
  }
  await eventually(() => expect(linesOf(path)).toEqual(expected));
});

test('what could not be written is lost, and how much is said once something can be', async () => {
  const path = join(folder, 'loss');
  execFileSync('mkfifo', [path]);
  const openReader = () => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const first = openReader();
  const stream = createLogStream({ fd: openSync(path, constants.O_WRONLY | constants.O_NONBLOCK) });
  closeSync(first); // nobody reads it: each write fails
  for (const line of ['a\n', 'b\n', 'c\n']) stream.write(line);
  await delay(100);
  const reader = openReader();
  stream.write('d\n');
  let text = '';
  const read = () => {
    const bytes = Buffer.alloc(1_000);
    text += bytes.toString('utf8', 0, readSync(reader, bytes));
    expect(text.split('\n').length).toBe(3);
  };
  await eventually(read);
  const [loss = '', line] = text.split('\n');
  expect([JSON.parse(loss), line]).toMatchObject([{ level: 40, lost: 3 }, 'd']);
});

test('what waits is bounded: the rest is lost, and said', async () => {
  const path = join(folder, 'bound');
  const stream = createLogStream({ fd: openSync(path, 'w'), most: 10 });
  for (let count = 0; count < 8; count += 1) stream.write('four\n');
  await eventually(() => expect(linesOf(path).length).toBe(3));
  const [loss = '', first, second] = linesOf(path);
  expect([JSON.parse(loss), first, second]).toMatchObject([{ lost: 6 }, 'four', 'four']);
});

const program = (ends: string) => `
  import { createLogStream } from './telemetry/log-stream.ts';
  const stream = createLogStream();
  const line = 'x'.repeat(1_000) + '\\n';
  let turns = 0;
  setInterval(() => {
    for (let count = 0; count < 100; count += 1) stream.write(line);
    turns += 1;
    if (turns === 30) { process.stderr.write('alive'); ${ends} }
  }, 50);`;

test('a pipe that nobody reads holds up neither the process nor its end', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program('process.exit(0)')], {
    cwd: join(import.meta.dirname, '..', '..'),
    stdio: ['ignore', 'pipe', 'pipe'], // standard output is never read
  });
  let said = '';
  child.stderr.on('data', (data: Buffer) => (said += data.toString()));
  const [code] = (await once(child, 'exit')) as [number];
  expect([said, code]).toEqual(['alive', 0]);
});

test('what was said last before the end is written', async () => {
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { createLogger } from './telemetry/logger.ts';
       const logger = createLogger('info', 'test');
       for (let count = 0; count < 100; count += 1) logger.info({ count }, 'going');
       logger.info('stopped');
       process.exit(3);`,
    ],
    { cwd: join(import.meta.dirname, '..', '..'), stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let text = '';
  child.stdout.on('data', (data: Buffer) => (text += data.toString()));
  await once(child, 'close');
  const lines = text.split('\n').slice(0, -1);
  expect(lines.length).toBe(101);
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ service: 'test', msg: 'stopped' });
});
