// A process of ours that has no file descriptor left for a connection, or to ask for the name of a receiver.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { errorClassOf } from '../../../activities/wire/error-class.ts';
import { reading } from '../../harness/listening.ts';
import { nameServer } from './name-server.ts';

const program = fileURLToPath(new URL('few-files-child.ts', import.meta.url));

/** What came of each send of it: before, while and after no file descriptor is left. */
async function resultsOf(...args: readonly string[]): Promise<readonly string[]> {
  const run = ['-c', 'ulimit -n 128 && exec "$0" "$@"', process.execPath, program, ...args];
  const child = spawn('sh', run, { stdio: ['ignore', 'pipe', 'inherit'] });
  return JSON.parse(await text(child.stdout)) as string[];
}

test('a file descriptor that our process is short of says nothing about a receiver: it is sent to as soon as there is one again (CBK-3, TIM-3)', async () => {
  const results = await resultsOf(await reading((response) => response.end()));
  expect(results.at(0)).toBe('ANSWERED');
  expect(results.at(1)).toBe('NOT_SENT own-resources');
  expect(results.at(-1)).toBe('ANSWERED');
}, 30_000);

test('a file descriptor that our process is short of to find a name says nothing about its receiver (CBK-3, TIM-3)', async () => {
  const names = await nameServer({ 'receiver.example': { addresses: ['127.0.0.1'], ttl: 1 } });
  const url = (await reading((response) => response.end())).replace('127.0.0.1', 'receiver.example');
  const results = await resultsOf(url, names.address);
  expect(results.at(0)).toBe('ANSWERED');
  expect([...new Set(results.slice(1, -1))]).toEqual(['NOT_SENT own-resources']);
  expect(results.at(-1)).toBe('ANSWERED');
}, 30_000);

test.each(['EADDRNOTAVAIL', 'ENOBUFS', 'ENFILE', 'ENOMEM'])(
  '%s is a lack of this machine too, whatever it was short of (CBK-3)',
  (code) => {
    expect(errorClassOf(Object.assign(new Error(code), { code }))).toBe('own-resources');
  },
);
