// A folder that is moved while its demo runs may get a successor at its old place: what the first one clears away when it
// ends is its own.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { startChild } from '../../../cli/parts/child.ts';
import { removeOwnRunFile, writeRunFile, type RunFile } from '../../../cli/run-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'isthmus-moved-'));
afterAll(() => rmSync(folder, { recursive: true }));
const pidFile = join(folder, 'api.pid');
const runFile = join(folder, 'run.json');
beforeEach(() => {
  for (const path of [pidFile, runFile]) rmSync(path, { force: true });
});

/** That ends at once, when `meanwhile` has happened. */
async function endChild(meanwhile: () => void): Promise<void> {
  const child = await startChild({
    command: process.execPath,
    args: ['-e', 'setInterval(() => undefined, 1_000)'],
    env: {},
    logFile: join(folder, 'api.log'),
    pidFile,
    stopSignal: 'SIGTERM',
  });
  meanwhile();
  await child.stop();
}

test('a process that ends removes the file with its number', async () => {
  await endChild(() => expect(existsSync(pidFile)).toBe(true));
  expect(existsSync(pidFile)).toBe(false);
});

test('a process that ends leaves a file with another number there', async () => {
  await endChild(() => writeFileSync(pidFile, '4711'));
  expect(readFileSync(pidFile, 'utf8')).toBe('4711');
});

const run: RunFile = {
  instanceId: 'first',
  apiUrl: 'http://127.0.0.1:8080',
  temporalAddress: '127.0.0.1:7233',
  temporalNamespace: 'default',
  databaseUrl: 'postgres://demo',
  sandbox: { source: 'http://a', destination: 'http://b', fxProvider: 'http://c' },
  journalDirectory: '/journal',
  logDirectory: '/logs',
  replaced: { operators: {}, fxps: {} },
  pids: {},
};

test.each([
  ['its own run file is removed', () => writeRunFile(folder, run), false],
  ['one of another demo stays', () => writeRunFile(folder, { ...run, instanceId: 'second' }), true],
  ['one that nobody can read is removed', () => writeFileSync(runFile, '{'), false],
])('when a demo ends, %s', (_, write, stays) => {
  write();
  removeOwnRunFile(folder, 'first');
  expect(existsSync(runFile)).toBe(stays);
});
