// Many requests that come in one moment (SEC-7): what another waits for goes on between them, in every pass of the
// event loop, and who sends more on a connection than can be answered is cut before anything of it fills the memory.
import { setImmediate as immediate } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RouteModule } from '../../../api/dependencies.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from '../running-api.ts';
import { open } from './raw-http.ts';

const costMs = 1;
/** Who began, in which pass. */
const begun: { readonly asker: string; readonly pass: number }[] = [];
const held: (() => void)[] = [];
let pass = 0;

/** One that holds the thread for a millisecond, and one that is answered when the test says so. */
const costly: RouteModule = (router) => {
  const route = { method: 'get', summary: '', tag: '', hidden: true, answers: {} } as const;
  router.addPublic({ ...route, path: '/costly', operationId: 'costly' }, ({ req }) => {
    begun.push({ asker: req.header('authorization') ?? '', pass });
    const until = performance.now() + costMs;
    while (performance.now() < until);
    return new Response('done');
  });
  router.addPublic({ ...route, path: '/held', operationId: 'held' }, async () => {
    await new Promise<void>((resolve) => held.push(resolve));
    return new Response('done');
  });
};
const ask = (path: string, asker: string) =>
  `GET ${path} HTTP/1.1\r\nHost: isthmus.test\r\nAuthorization: Bearer ${asker}\r\n\r\n`;

const database = await testDatabase();
let api: RunningApi;
const sockets: Socket[] = [];
beforeAll(async () => {
  api = await startApi(database.url, { modules: [costly] });
});
afterAll(() => api.close());
beforeEach(() => begun.splice(0));
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const release of held.splice(0)) release();
});

/** The server knows of it too: it takes one new connection in a pass. */
async function connected(): Promise<Socket> {
  const socket = await open(api.url);
  sockets.push(socket);
  const answered = new Promise((resolve) => socket.once('data', resolve));
  socket.write(ask('/health/live', 'one'));
  await answered;
  return socket.resume();
}

async function askAtOnce(askers: readonly string[]): Promise<void> {
  const asking = await Promise.all(askers.map(async (asker) => ({ asker, socket: await connected() })));
  const stop = new AbortController();
  const counting = (async () => {
    for (; !stop.signal.aborted; pass += 1) await immediate();
  })();
  for (const { asker, socket } of asking) socket.write(ask('/costly', asker));
  await expect.poll(() => begun.length).toBe(askers.length);
  stop.abort();
  await counting;
}

test('of a hundred costly requests that come at once a pass of the event loop begins a few (SEC-7, I-16)', async () => {
  await askAtOnce(Array.from({ length: 100 }, () => 'one'));
  const most = Math.max(...begun.map((one) => begun.filter(({ pass }) => pass === one.pass).length));
  // two milliseconds, and the one that goes beyond; and as many before the test counts the next pass
  expect(most).toBeLessThanOrEqual(6);
});

test('another that comes behind them begins as one of the next (SEC-7)', async () => {
  await askAtOnce([...Array.from({ length: 60 }, () => 'one'), 'other']);
  expect(begun.findIndex(({ asker }) => asker.endsWith('other'))).toBeLessThan(30);
});

test('a client that sends thousands of requests behind each other is cut after some tens (SEC-7)', async () => {
  const socket = await connected();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(ask('/held', 'one').repeat(3_000));
  await closed;
  expect(held.length).toBeLessThanOrEqual(32);
  const other = await connected();
  const answer = new Promise<string>((resolve) => other.once('data', (data) => resolve(String(data))));
  other.write(ask('/costly', 'other'));
  expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
});
