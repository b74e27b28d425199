// A process of ours that has no file descriptor left to ask for the name of a receiver.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { reading } from '../harness/listening.ts';
import { nameServer } from './name-server.ts';

const program = fileURLToPath(new URL('few-files-name-child.ts', import.meta.url));

test('a file descriptor that our process is short of to find a name says nothing about its receiver (CBK-3, TIM-3)', async () => {
  const names = await nameServer({ 'receiver.example': { addresses: ['127.0.0.1'], ttl: 1 } });
  const url = (await reading((response) => response.end())).replace('127.0.0.1', 'receiver.example');
  const child = spawn(
    'sh',
    [
      '-c',
      'ulimit -n 128 && exec "$0" --import tsx "$1" "$2" "$3" /dev/null',
      process.execPath,
      program,
      url,
      names.address,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const results = JSON.parse(await text(child.stdout)) as string[];
  expect(results.at(0)).toBe('ANSWERED');
  expect([...new Set(results.slice(1, -1))]).toEqual(['NOT_SENT own-resources']);
  expect(results.at(-1)).toBe('ANSWERED');
}, 30_000);
