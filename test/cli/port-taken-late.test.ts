// Somebody else listens on a port that a demo has chosen, before its own process does: the start takes another one, and
// never says that Isthmus is up while a stranger answers in its place.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { healthOf, whoAnswers, type RunFile } from '../../cli/run-file.ts';
import { testDatabase } from '../harness/database.ts';
import { testTemporal } from '../harness/temporal.ts';
import { commandFolder } from './command.ts';

const database = await testDatabase();
const temporal = await testTemporal();
const place = await commandFolder({ hasStarted: true });
afterAll(() => place.remove());

const path = join(place.folder, 'ports.json');

/** Answers 200 to everything, as soon as a start has chosen its ports. */
async function squatOn(owner: 'api' | 'fxProvider'): Promise<{ server: Server; port: number }> {
  await vi.waitUntil(() => existsSync(path), { timeout: 30_000, interval: 2 });
  const read = () => JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<typeof owner, number>>;
  const ports = await vi.waitFor(read, { timeout: 1_000, interval: 2 }); // it may be half written
  const server = createServer((_, response) => response.end('I am somebody else'));
  await new Promise<void>((listening) => server.listen(ports[owner], '127.0.0.1', listening));
  return { server, port: ports[owner] };
}

test.each(['api', 'fxProvider'] as const)(
  'a stranger on the port of the %s: the start takes another one, and says so',
  async (owner) => {
    rmSync(path, { force: true });
    const given = { DATABASE_URL: database.url, TEMPORAL_ADDRESS: temporal.address };
    const starting = place.runWith(given, 'start');
    const { server, port } = await squatOn(owner);
    try {
      await starting.says('Isthmus runs until Ctrl-C.');
      expect(starting.output()).toContain('  api or sandbox could not have a port: starting it again');
      expect(starting.output()).toMatch(new RegExp(`! Port ${port}, of the last start, is taken .*instead`));
      const run = JSON.parse(readFileSync(join(place.folder, 'run.json'), 'utf8')) as RunFile;
      const url = owner === 'api' ? healthOf(run) : `${run.sandbox.fxProvider}/health`;
      expect(new URL(url).port).not.toBe(String(port));
      expect(await whoAnswers(url, run.instanceId)).toBe('it');
    } finally {
      starting.child.kill('SIGTERM');
      await starting.ended;
      server.close();
    }
  },
  120_000,
);
