// Wrong settings and missing parts end `npm start` within seconds, with one sentence that says what to do. No
// process is left, and no file of the user is touched.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../cli/parts/ports.ts';
import { testDatabase } from '../harness/database.ts';
import { testTemporal } from '../harness/temporal.ts';
import { commandFolder, type RunningCommand } from './command.ts';

const place = await commandFolder();
const database = new URL((await testDatabase()).url);
const { address: temporal } = await testTemporal();
const scratch = mkdtempSync(join(tmpdir(), 'isthmus-unusable-'));
const closed = await freePort();
/** Takes connections and speaks neither Postgres nor gRPC. */
const other: Server = createServer((_, response) => response.end('hello'));
const home = (name: string) => join(scratch, name);

beforeAll(async () => {
  await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening));
  writeFileSync(home('file'), '');
  symlinkSync('loop', home('loop'));
  mkdirSync(home('photos'));
  writeFileSync(join(home('photos'), 'holiday.jpg'), 'mine');
  for (const name of ['broken', 'odd']) mkdirSync(home(name));
  writeFileSync(join(home('broken'), 'run.json'), '{ "apiUrl": ');
  mkdirSync(join(home('odd'), 'run.json'));
  mkdirSync(home('locked'), { mode: 0o555 });
});
afterAll(() => {
  other.close();
  place.remove();
  rmSync(scratch, { recursive: true });
});

const at = (port: number, path = '') => `127.0.0.1:${port}${path}`;
const otherPort = () => (other.address() as AddressInfo).port;
const changed = (change: (url: URL) => void) => {
  const url = new URL(database);
  change(url);
  return url.href;
};

/** Expects exit code 1, one sentence on standard error, and no stack trace. */
async function expectSentence(command: RunningCommand, said: RegExp): Promise<void> {
  const code = await command.ended;
  const output = command.output();
  expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(said) as unknown });
  expect(output).not.toMatch(/^\s+at |node:internal|\[object|undefined|AggregateError/m);
  expect(output.split('\n').filter((line) => line.startsWith('✗'))).toHaveLength(1);
}

describe.concurrent('npm start says what is wrong and what to do', () => {
  it.each<[string, string, RegExp]>([
    ['below a file', join(home('file'), 'x'), /ISTHMUS_HOME.*not a directory.*another folder/],
    ['a folder of something else', home('photos'), /ISTHMUS_HOME.*photos holds.*holiday\.jpg.*empty folder/],
  ])('ISTHMUS_HOME is %s', async (_, folder, said) => {
    await expectSentence(place.runWith({ ISTHMUS_HOME: folder }, 'start'), said);
  });

  it.each<[string, () => string, RegExp]>([
    [
      'a password with a broken encoding',
      () => database.href.replace('@', '%ff@'),
      /DATABASE_URL must have the form postgres:\/\/user/,
    ],
    [
      'nobody listening',
      () => changed((url) => (url.port = String(closed))),
      /ECONNREFUSED 127.*DATABASE_URL/s,
    ],
    [
      'not Postgres',
      () => changed((url) => (url.port = String(otherPort()))),
      /DATABASE_URL points to a database .* that cannot be used/,
    ],
    [
      'an unknown database',
      () => changed((url) => (url.pathname = '/nothing')),
      /database "nothing" does not exist/,
    ],
  ])('DATABASE_URL names %s', async (_, url, said) => {
    const command = place.runWith({ ISTHMUS_HOME: home('given'), DATABASE_URL: url() }, 'start');
    await expectSentence(command, said);
    expect(command.output()).not.toContain(database.password);
    expect(existsSync(join(home('given'), 'temporal.log'))).toBe(false); // refused before any server is started
  });

  it.each<[string, () => NodeJS.ProcessEnv, RegExp]>([
    ['nobody listening', () => ({ TEMPORAL_ADDRESS: at(closed) }), /where no Temporal server answers/],
    [
      'an unknown namespace',
      () => ({ TEMPORAL_ADDRESS: temporal, TEMPORAL_NAMESPACE: 'nowhere' }),
      /no namespace nowhere/,
    ],
  ])('TEMPORAL_ADDRESS or TEMPORAL_CLI names %s', async (title, env, said) => {
    const given = { ISTHMUS_HOME: home(title.replaceAll(' ', '-')), DATABASE_URL: database.href, ...env() };
    await expectSentence(place.runWith(given, 'start'), said);
  });
});

describe('other commands say it too', () => {
  it('npm run pay, when the run file is broken, or no file', async () => {
    for (const name of ['broken', 'odd']) {
      const pay = place.runWith({ ISTHMUS_HOME: home(name) }, 'pay', '--to', 'MY', '--amount', '250');
      await expectSentence(pay, /run\.json.*npm start/);
    }
  });

  it('npm run reset never removes what is not ours', async () => {
    await expectSentence(
      place.runWith({ ISTHMUS_HOME: home('photos') }, 'reset', '--all'),
      /photos holds.*holiday\.jpg/,
    );
    expect(readdirSync(home('photos'))).toEqual(['holiday.jpg']);
  });

  it('npm start as a user who may not write to ISTHMUS_HOME', async () => {
    const locked = home('locked');
    chmodSync(locked, 0o555);
    const isRoot = process.getuid?.() === 0; // root may write everywhere, except in kernel file systems
    await expectSentence(
      place.runWith({ ISTHMUS_HOME: isRoot ? '/sys/kernel/x' : locked }, 'start'),
      /ISTHMUS_HOME.*(permission denied|not permitted|no such file).*another folder/,
    );
  });
});
