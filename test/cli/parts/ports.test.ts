// Addresses that the demo prints must be those it got.
import { createServer } from 'node:net';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type * as DemoPorts from '../../../cli/demo-ports.ts';
import { openHome } from '../../../cli/parts/home.ts';
import type * as Ports from '../../../cli/parts/ports.ts';
import { quietPort } from '../../harness/quiet-port.ts';

// What this process has given out, in other tests too, is not given again: each test begins as a new process does.
let freePort: typeof Ports.freePort;
let choosePorts: typeof DemoPorts.choosePorts;
beforeEach(async () => {
  vi.resetModules();
  ({ freePort } = await import('../../../cli/parts/ports.ts'));
  ({ choosePorts } = await import('../../../cli/demo-ports.ts'));
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

  it('gives a preferred port', async () => {
    const port = await quietPort();
    expect(await freePort(port)).toBe(port);
  });

  it('never gives the same port twice, although nobody has bound the first one yet', async () => {
    const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
    expect(new Set(ports).size).toBe(50);
    const [taken] = ports;
    expect(await freePort(taken)).not.toBe(taken);
  });
});

describe('the ports of the demo', () => {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-ports-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'ports.json');
  const lines: string[] = [];
  const choose = () => choosePorts(folder, (line) => void lines.push(line));
  const written = () => JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>;

  it('are kept in the folder, which stays fit for use', async () => {
    const ports = await choose();
    expect(written()).toEqual(ports);
    openHome(folder);
  });

  it('are those of the last run, before the defaults', async () => {
    const last = { api: 0, source: 0, destination: 0, fxProvider: 0 };
    for (const name of Object.keys(last) as (keyof typeof last)[]) last[name] = await quietPort();
    writeFileSync(file, JSON.stringify(last));
    expect(await choose()).toEqual(last);
  });

  it('are others where somebody else listens by now, which is said with what it means', async () => {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as { port: number };
    writeFileSync(file, JSON.stringify({ ...written(), source: port }));
    const { source } = await choose();
    await new Promise((closed) => server.close(closed));
    expect(source).not.toBe(port);
    expect(written()['source']).toBe(source);
    expect(lines.join('\n')).toMatch(
      new RegExp(
        `! Port ${port}, of the last run, is taken \\(source operators\\): ${source} instead; .*open`,
      ),
    );
  });

  it.each(['', '{"api":', '{"api":"8080"}', '[]'])(
    'are the defaults where the file holds %j',
    async (text) => {
      writeFileSync(file, text);
      expect(Object.keys(await choose()).sort()).toEqual(['api', 'destination', 'fxProvider', 'source']);
    },
  );
});
