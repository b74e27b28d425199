// Behind a proxy everybody comes from one address (docs/operations/deploy-and-upgrade.md): who is known does not wait behind strangers (SEC-7, I-16).
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RouteModule } from '../../../api/dependencies.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';
import { open } from '../http/raw-http.ts';

const begun: string[] = [];
const costly: RouteModule = (router) => {
  const route = { method: 'get', summary: '', tag: '', hidden: true, answers: {} } as const;
  router.addPublic({ ...route, path: '/costly', operationId: 'costly' }, ({ req }) => {
    begun.push(req.header('authorization') ?? '');
    const until = performance.now() + 1;
    while (performance.now() < until);
    return new Response('done');
  });
};
const ask = (path: string, token: string) =>
  `GET ${path} HTTP/1.1\r\nHost: isthmus.test\r\nAuthorization: Bearer ${token}\r\n\r\n`;

const database = await testDatabase();
let api: RunningApi;
let laterMs = 0;
let honest = '';
const sockets: Socket[] = [];
beforeAll(async () => {
  api = await startApi(database.url, { modules: [costly], clock: () => Date.now() + laterMs });
  honest = await api.token('THBPPAY');
});
afterAll(() => api.close());
beforeEach(() => begun.splice(0));
afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()));

async function connected(token: string): Promise<Socket> {
  const socket = await open(api.url);
  sockets.push(socket);
  const answered = new Promise((resolve) => socket.once('data', resolve));
  socket.write(ask('/countries', token));
  await answered;
  return socket.resume();
}

test.each([
  ['a second ago', 1_000],
  ['31 seconds ago', 31_000],
])('a sender whose token was verified %s does not wait behind strangers (SEC-7)', async (_, ms) => {
  const strangers = await Promise.all(Array.from({ length: 20 }, () => connected('made-up')));
  const other = await connected(honest);
  laterMs += ms;
  for (const socket of strangers) socket.write(ask('/costly', 'made-up').repeat(31));
  other.write(ask('/costly', honest));
  await expect.poll(() => begun.length).toBe(20 * 31 + 1);
  const place = begun.indexOf(`Bearer ${honest}`);
  expect(place).toBeLessThan(60);
});
