// The process has no file descriptor left for a connection.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { reading } from '../../harness/listening.ts';

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
});
