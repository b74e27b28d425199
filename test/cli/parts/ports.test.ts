// Choosing free ports for the demo's servers.
import { createServer } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { portChooser, startOnFreePorts } from '../../../cli/parts/ports.ts';
import { quietPort } from '../../harness/quiet-port.ts';

// A chooser never gives a port twice, so each test has its own.
let freePort = portChooser();
beforeEach(() => {
  freePort = portChooser();
});

describe('freePort', () => {
  it('gives the preferred port when it is free, and another one when somebody listens there', async () => {
    const preferred = await quietPort();
    const first = createServer();
    await new Promise<void>((listening) => first.listen(preferred, '127.0.0.1', listening));
    const other = await freePort(preferred);
    expect(other).not.toBe(preferred);
    await new Promise((closed) => first.close(closed));
  });

  it('never gives the same port twice, although nobody has bound the first one yet', async () => {
    const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
    expect(new Set(ports).size).toBe(50);
    const [taken] = ports;
    expect(await freePort(taken)).not.toBe(taken);
  });
});

describe('a server that could not have a port', () => {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-starts-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const logFile = join(folder, 'server.log');
  const panic =
    'panic: failed assigning ephemeral port: failed to assign a free port: dial tcp 127.0.0.1:40000: connect: cannot assign requested address\n\n' +
    `goroutine 1 [running]:\n${'main.main()\n\t/home/runner/main.go:18 +0x8e\n'.repeat(12)}`;

  /** Starts a server whose first starts fail with `said` in its log. */
  async function start(said: string, failing: number): Promise<readonly string[]> {
    const lines: string[] = [];
    let starts = 0;
    await startOnFreePorts(
      () => {
        starts += 1;
        writeFileSync(logFile, starts <= failing ? said : 'up');
        return starts <= failing ? Promise.reject(new Error('it exited')) : Promise.resolve();
      },
      { name: 'the server', logFile, say: (line) => void lines.push(line) },
    );
    return lines;
  }

  it.each([
    { why: 'somebody took it', said: 'listen tcp 127.0.0.1:29113: bind: address already in use\n' },
    { why: 'the machine had none left', said: panic },
  ])('is started again, twice at most: $why', async ({ said }) => {
    expect(await start(said, 2)).toEqual([
      '  the server could not have a port: starting it again',
      '  the server could not have a port: starting it again',
    ]);
    await expect(start(said, 3)).rejects.toThrow('it exited');
  });

  it('is not started again where its log tells something else', async () => {
    await expect(start('panic: no such file\n', 1)).rejects.toThrow('it exited');
  });
});
