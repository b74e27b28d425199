// Somebody else listens on a port that a demo has chosen, before its own process does: the start takes another one, and
// never says that Isthmus is up while a stranger answers in its place.
import { existsSync, readFileSync } from 'node:fs';
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

type Owner = 'api' | 'fxProvider';
const read = () => JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<Owner, number>>;

/** Answers 200 to everything, as soon as a start has chosen its ports, or others than `before`. */
async function squatOn(owner: Owner, before?: number): Promise<{ server: Server; port: number }> {
  const isChosen = () => existsSync(path) && read().fxProvider !== before;
  await vi.waitUntil(isChosen, { timeout: 60_000, interval: 2 });
  const port = read()[owner];
  const server = createServer((_, response) => response.end('I am somebody else'));
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
  return { server, port };
}

test('a stranger on the port of the FX provider, then one on that of the api: the start takes others, and says so', async () => {
  const given = { DATABASE_URL: database.url, TEMPORAL_ADDRESS: temporal.address };
  const starting = place.runWith(given, 'start');
  const first = await squatOn('fxProvider');
  const second = await squatOn('api', first.port);
  try {
    await starting.says('Isthmus runs until Ctrl-C.');
    expect(
      starting.output().match(/ {2}api or sandbox could not have a port: starting it again/g),
    ).toHaveLength(2);
    const run = JSON.parse(readFileSync(join(place.folder, 'run.json'), 'utf8')) as RunFile;
    const urls = { [first.port]: `${run.sandbox.fxProvider}/health`, [second.port]: healthOf(run) };
    for (const [taken, url] of Object.entries(urls)) {
      expect(starting.output()).toMatch(new RegExp(`! Port ${taken}, of the last start, is taken .*instead`));
      expect(new URL(url).port).not.toBe(taken);
      expect(await whoAnswers(url, run.instanceId)).toBe('it');
    }
  } finally {
    starting.child.kill('SIGTERM');
    await starting.ended;
    for (const { server } of [first, second]) server.close();
  }
}, 120_000);
