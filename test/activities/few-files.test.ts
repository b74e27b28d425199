// A process of ours that has no file descriptor left for a connection.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { errorClassOf } from '../../activities/error-class.ts';
import { reading } from '../harness/listening.ts';

const program = fileURLToPath(new URL('few-files-child.ts', import.meta.url));

test('a file descriptor that our process is short of says nothing about a receiver: it is sent to as soon as there is one again (CBK-3, TIM-3)', async () => {
  const url = await reading((response) => response.end());
  const child = spawn(
    'sh',
    ['-c', 'ulimit -n 128 && exec "$0" --import tsx "$1" "$2"', process.execPath, program, url],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const results = JSON.parse(await text(child.stdout)) as string[];
  expect(results.at(0)).toBe('ANSWERED');
  expect(results.at(1)).toBe('NOT_SENT own-resources');
  expect(results.at(-1)).toBe('ANSWERED');
}, 30_000);

test.each(['EADDRNOTAVAIL', 'ENOBUFS', 'ENFILE', 'ENOMEM'])(
  '%s is a lack of this machine too, whatever it was short of (CBK-3)',
  (code) => {
    expect(errorClassOf(Object.assign(new Error(code), { code }))).toBe('own-resources');
  },
);
