// A gateway that stops: every request that has begun is answered, and no connection that could stay open holds it up.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RouteModule } from '../../../api/dependencies.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from './running-api.ts';
import { answersOn, open } from './raw-http.ts';

const held: (() => void)[] = [];
/** POST /held answers when the test says so; GET /begun has its head sent at once, and the rest then. */
const holding: RouteModule = (router) => {
  const route = { summary: '', tag: '', hidden: true, answers: {} } as const;
  const wait = async () => new Promise<void>((resolve) => held.push(resolve));
  router.addPublic({ ...route, method: 'post', path: '/held', operationId: 'held' }, async () => {
    await wait();
    return new Response('done');
  });
  router.addPublic({ ...route, method: 'get', path: '/begun', operationId: 'begun' }, () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from('do')),
      pull: async (controller) => {
        await wait();
        controller.enqueue(Buffer.from('ne'));
        controller.close();
      },
    });
    return new Response(body, { headers: { 'content-length': '4' } });
  });
};
const request = (line: string) => `${line} HTTP/1.1\r\nHost: isthmus.test\r\nContent-Length: 0\r\n\r\n`;
const [hold, begin, ask] = [request('POST /held'), request('GET /begun'), request('GET /health/live')];

const database = await testDatabase();
let api: RunningApi;
let isClosed = false;
beforeEach(async () => {
  isClosed = false;
  api = await startApi(database.url, { modules: [holding] });
});
afterEach(() => api.close());

async function client(...texts: readonly string[]) {
  const socket = await open(api.url);
  const answers = answersOn(socket);
  for (const text of texts) socket.write(text);
  return {
    socket,
    answers: async () => (await answers).map(({ headers, body }) => [body, headers['connection']]),
  };
}

/** While a request holds it up, so that nothing of what is seen meanwhile comes from its end. */
async function closing() {
  const holder = await client(hold);
  await expect.poll(() => held.length).toBe(1);
  const closed = api.close().then(() => (isClosed = true));
  return async () => {
    expect(isClosed).toBe(false);
    for (const release of held.splice(0)) release();
    expect(await holder.answers()).toEqual([['done', 'close']]);
    await closed;
  };
}

test('a connection on which nothing was asked ends', async () => {
  const silent = await client();
  const end = await closing();
  expect(await silent.answers()).toEqual([]);
  await end();
});

test('whoever goes on asking on a connection is answered once more, and told that it was the last', async () => {
  const busy = await client(hold);
  await expect.poll(() => held.length).toBe(1);
  const [release] = held.splice(0);
  const end = await closing();
  release?.();
  expect(await busy.answers()).toEqual([['done', 'close']]);
  await end();
});

test('an answer whose head is sent is whole, and so is that to the request behind it', async () => {
  const reader = await client(begin);
  await expect.poll(() => held.length).toBe(1);
  const [release] = held.splice(0);
  const end = await closing();
  reader.socket.write(ask);
  await new Promise((resolve) => setTimeout(resolve, 200)); // until it has arrived
  release?.();
  expect(await reader.answers()).toEqual([
    ['done', 'keep-alive'],
    ['{"status":"up"}', 'close'],
  ]);
  await end();
});
