// Somebody else listens on a port that a demo has chosen, before its own process does: a start never says that Isthmus is
// up while another one answers in its place.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { testDatabase } from '../harness/database.ts';
import { testTemporal } from '../harness/temporal.ts';
import { commandFolder } from './command.ts';

const database = await testDatabase();
const temporal = await testTemporal();
const place = await commandFolder();
afterAll(() => place.remove());

const path = join(place.folder, 'ports.json');

/** Answers 200 to everything, as soon as a start has chosen its ports. */
async function squatOn(owner: 'api' | 'fxProvider'): Promise<Server> {
  await vi.waitUntil(() => existsSync(path), { timeout: 30_000, interval: 2 });
  const read = () => JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<typeof owner, number>>;
  const ports = await vi.waitFor(read, { timeout: 1_000, interval: 2 }); // it may be half written
  const server = createServer((_, response) => response.end('I am somebody else'));
  await new Promise<void>((listening) => server.listen(ports[owner], '127.0.0.1', listening));
  return server;
}

test.each([
  ['api', 'api'],
  ['fxProvider', 'sandbox'],
] as const)(
  'a stranger on the port of the %s: the start fails, and shows what its log says',
  async (owner, name) => {
    rmSync(path, { force: true });
    const given = { DATABASE_URL: database.url, TEMPORAL_ADDRESS: temporal.address };
    const starting = place.runWith(given, 'start');
    const squatter = await squatOn(owner);
    try {
      expect({ code: await starting.ended, output: starting.output() }).toEqual({
        code: 1,
        output: expect.stringMatching(
          new RegExp(`✗ ${name} exits as soon as it is started.*(EADDRINUSE|taken)`, 's'),
        ) as unknown,
      });
    } finally {
      squatter.close();
    }
  },
  60_000,
);
