// What messages occupy while they arrive (SEC-7): of senders that nobody knows nothing is kept, and of one that is
// known no more than may wait for its turn. What is told, and in which order, stays (MSG-2).
import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { validateRoutes } from '../../../api/payments/dry-run.ts';
import { createLibxml2Engine } from '../../../xml/libxml2.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from '../http/running-api.ts';
import { answersOn, open, problemOf } from '../http/raw-http.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const database = await testDatabase();
interface Line {
  readonly status?: number;
  readonly client?: string;
}
const lines: Line[] = [];
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url, {
    modules: [validateRoutes(createLibxml2Engine())],
    logger: pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Line) }),
  });
});
afterAll(() => api.close());

const maxBytes = 256 * 1024; // MSG-2
const almost = Buffer.alloc(maxBytes - 1_024, ' ');
const mebibyte = 1024 * 1024;

const opened: Socket[] = [];
afterEach(() => opened.splice(0).forEach((socket) => socket.destroy()));

/** Sends all of a message but its end. */
async function arriving(
  authorization: readonly string[],
  framing: 'announced' | 'in chunks',
  part = almost,
): Promise<Socket> {
  const socket = await open(api.url);
  opened.push(socket);
  const head = [
    'POST /iso20022/validate HTTP/1.1',
    'Host: a',
    'Content-Type: application/xml',
    ...authorization,
  ];
  const length = framing === 'announced' ? `Content-Length: ${maxBytes}` : 'Transfer-Encoding: chunked';
  socket.write(`${[...head, length].join('\r\n')}\r\n\r\n`);
  if (framing === 'in chunks') socket.write(`${part.length.toString(16)}\r\n`);
  await new Promise((resolve) => socket.write(part, resolve));
  return socket;
}

/** Bytes outside the heap, once all that was sent has been read. */
async function occupied(): Promise<number> {
  await api.get('/health/live', null); // it stands behind what the others have sent
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

it.each([
  ['no token', []],
  ['a token that is none', ['Authorization: Bearer abc.def.ghi']],
])('of a sender with %s nothing is kept while its message arrives (SEC-7)', async (_, authorization) => {
  const count = 40;
  const before = await occupied();
  for (let n = 0; n < count; n += 1) await arriving(authorization, n % 2 === 0 ? 'announced' : 'in chunks');
  // all of them would be 10 MiB
  await expect.poll(async () => (await occupied()) - before).toBeLessThan(2 * mebibyte);
});

it('a sender that nobody knows is told what is wrong in the order of intake, at the end of its message (MSG-2)', async () => {
  for (const [framing, end] of [
    ['announced', Buffer.alloc(1_024, ' ')],
    ['in chunks', '\r\n0\r\n\r\n'],
  ] as const) {
    const socket = await arriving([], framing);
    const answers = answersOn(socket);
    socket.end(end);
    expect(problemOf(await answers)).toMatchObject({ status: 401 });
  }
  const post = async (body: string, type: string) =>
    (await api.post('/iso20022/validate', body, null, { 'content-type': type })).status;
  expect(await post('x'.repeat(maxBytes + 1), 'text/plain')).toBe(413);
  expect(await post('x', 'text/plain')).toBe(415);
  expect(await post('x', 'application/xml')).toBe(401);
});

it('of one sender as many messages arrive as may wait, and others find room; who was turned away is in the log (SEC-7, OBS-1)', async () => {
  const most = 100; // messageTurns
  const token = [`Authorization: Bearer ${await api.token('SGDFAST')}`];
  // one more than have room: where the first post comes before the last of them, it is the one that is turned away
  for (let n = 0; n <= most; n += 1) await arriving(token, 'announced', Buffer.alloc(10, ' '));
  const post = async (client: string) =>
    (await api.post('/iso20022/validate', '<a/>', client, { 'content-type': 'application/xml' })).body.code;
  await expect.poll(() => post('SGDFAST')).toBe('too-many-messages');
  expect(
    (await api.post('/iso20022/validate', '<a/>', 'SGDFAST', { 'content-type': 'text/plain' })).status,
  ).toBe(415);
  await expect
    .poll(() => lines.filter(({ status }) => status === 429 || status === 415).map(({ client }) => client))
    .toEqual(expect.arrayContaining(['SGDFAST']));
  expect(lines.filter(({ status, client }) => status === 429 && client === undefined)).toEqual([]);
  expect(await post('THBPPAY')).toBe('message-refused'); // read, and no message of ours
  for (const socket of opened.splice(0, 2)) socket.destroy(); // one of them had room
  await expect.poll(() => post('SGDFAST')).toBe('message-refused');
});
