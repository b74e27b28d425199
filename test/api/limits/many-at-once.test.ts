// Many requests at once (SEC-7): other work goes on in every pass of the event loop, and a client that pipelines too
// many requests is cut.
import { setImmediate as immediate } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RouteModule } from '../../../api/dependencies.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';
import { open } from '../http/raw-http.ts';

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
const ask = (path: string, token: string) =>
  `GET ${path} HTTP/1.1\r\nHost: isthmus.test\r\nAuthorization: Bearer ${token}\r\n\r\n`;

const database = await testDatabase();
let api: RunningApi;
let [one, other] = ['', ''];
const sockets: Socket[] = [];
beforeAll(async () => {
  api = await startApi(database.url, { modules: [costly] });
  [one, other] = await Promise.all([api.token('SGDFAST'), api.token('THBPPAY')]);
});
afterAll(() => api.close());
beforeEach(() => begun.splice(0));
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const release of held.splice(0)) release();
});

/** The server knows of it too: it takes one new connection in a pass; and it has verified the token, if that can be. */
async function connected(token: string, address?: string): Promise<Socket> {
  const socket = await open(api.url, address);
  sockets.push(socket);
  const answered = new Promise((resolve) => socket.once('data', resolve));
  socket.write(ask('/countries', token));
  await answered;
  return socket.resume();
}

/** All at once. */
async function askAtOnce(asking: readonly { readonly token: string; readonly socket: Socket }[]) {
  const stop = new AbortController();
  const counting = (async () => {
    for (; !stop.signal.aborted; pass += 1) await immediate();
  })();
  for (const { token, socket } of asking) socket.write(ask('/costly', token));
  await expect.poll(() => begun.length).toBe(asking.length);
  stop.abort();
  await counting;
}
const withToken = async (token: string, address?: string) => ({
  token,
  socket: await connected(token, address),
});
const many = (count: number, token: (nth: number) => string, address?: string) =>
  Promise.all(Array.from({ length: count }, (_, nth) => withToken(token(nth), address)));
const placeOf = (token: string) => begun.findIndex(({ asker }) => asker === `Bearer ${token}`);

test('of a hundred costly requests that come at once a pass of the event loop begins a few (SEC-7, I-16)', async () => {
  await askAtOnce(await many(100, () => one));
  const most = Math.max(...begun.map((first) => begun.filter(({ pass }) => pass === first.pass).length));
  // two milliseconds, and the one that goes beyond; and as many before the test counts the next pass
  expect(most).toBeLessThanOrEqual(6);
});

test('another that comes behind them begins as one of the next (SEC-7)', async () => {
  await askAtOnce([...(await many(60, () => one)), await withToken(other)]);
  expect(placeOf(other)).toBeLessThan(30);
});

test('a hundred made-up tokens are one who asks, ahead of nobody who is known, at whatever address (SEC-7)', async () => {
  await askAtOnce([...(await many(100, (nth) => `made-up-${nth}`)), await withToken(other)]);
  expect(placeOf(other)).toBeLessThan(30);
});

test('a client that sends thousands of requests behind each other is cut after some tens (SEC-7)', async () => {
  const socket = await connected(one);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(ask('/held', one).repeat(3_000));
  await closed;
  expect(held.length).toBeLessThanOrEqual(32);
  const next = await connected(other);
  const answer = new Promise<string>((resolve) => next.once('data', (data) => resolve(String(data))));
  next.write(ask('/costly', other));
  expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
});
