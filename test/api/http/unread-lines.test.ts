// What Node's parser refuses before anything of ours has seen it is answered, so it is a request: it has its line, its id and its
// count, as any other, and nothing of what was sent (OBS-1, OBS-2, SEC-3).
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AnsweredRequest } from '../../../api/http/access-log.ts';
import { testDatabase } from '../../harness/database.ts';
import { startApi, type RunningApi } from './running-api.ts';
import { answersOn, exchange, open } from './raw-http.ts';

interface Line {
  readonly msg: string;
  readonly requestId?: string;
  readonly status?: number;
}
const lines: Line[] = [];
const answered: AnsweredRequest[] = [];
const database = await testDatabase();
let api: RunningApi;
beforeAll(async () => {
  api = await startApi(database.url, {
    logger: pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Line) }),
    onAnswered: (request) => void answered.push(request),
    serverLimits: { headersMs: 300 },
  });
});
afterAll(() => api.close());
beforeEach(() => {
  lines.splice(0);
  answered.splice(0);
});

const get = 'GET /health/live HTTP/1.1\r\nHost: x\r\n';
const connect = 'CONNECT somchai.example:1 HTTP/1.1\r\nHost: x\r\n';

test.each([
  [431, 'none', 'headers of more than 16 KiB', `${get}X-A: ${'somchai'.repeat(3_000)}\r\n\r\n`],
  [400, 'none', 'a header with a control character', `${get}X-A: somchai\u0001b\r\n\r\n`],
  [400, 'none', 'a method that is none', 'SOMCHAI / HTTP/1.1\r\nHost: x\r\n\r\n'],
  [400, 'none', 'TLS', '\u0016\u0003\u0001\u0000\u0005hello'],
  [408, 'none', 'headers that do not end', `${get}X-A: somchai`],
  [405, 'CONNECT', 'a tunnel', `${connect}\r\n`],
])(
  '%i, method %s: %s is one line and one count, by the id in its answer (OBS-1, OBS-2, SEC-3)',
  async (status, method, _, text) => {
    const [answer, ...more] = await exchange(api.url, text);
    expect([answer?.status, more]).toEqual([status, []]);
    const requestId = answer?.headers['x-request-id'];
    expect(requestId).toMatch(/^[\w-]{10,64}$/);
    await expect.poll(() => lines).toMatchObject([{ msg: 'request', level: 30, requestId, method, status }]);
    expect(JSON.stringify(lines)).not.toMatch(/somchai/i);
    expect(answered).toMatchObject([{ route: 'none', method, status }]);
  },
);

test('a tunnel is known by the id that was given for it (OBS-1)', async () => {
  const requestId = randomUUID();
  const [answer] = await exchange(api.url, `${connect}X-Request-Id: ${requestId}\r\n\r\n`);
  expect(answer?.headers['x-request-id']).toBe(requestId);
  await expect.poll(() => lines).toMatchObject([{ requestId, status: 405 }]);
});

test('garbage behind a request is a line of its own; more of it, and one who asks nothing, are none (OBS-1)', async () => {
  const socket = await open(api.url);
  const answers = answersOn(socket);
  socket.write(`GET /countries HTTP/1.1\r\nHost: x\r\n\r\n`);
  await expect.poll(() => lines.length).toBe(1);
  for (let n = 0; n < 3; n += 1) socket.write('garbage\r\n\r\n');
  expect((await answers).map(({ status }) => status)).toEqual([401, 400]);
  expect((await answersOn(await open(api.url))).map(({ status }) => status)).toEqual([408]); // it sent nothing
  expect(lines.map(({ status }) => status)).toEqual([401, 400]);
  expect(answered.map(({ status }) => status)).toEqual([401, 400]);
});

test('a body that Node finds broken while it is read is one line, not two (OBS-1)', async () => {
  const text = `POST /oauth/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`;
  expect((await exchange(api.url, text)).map(({ status }) => status)).toEqual([400]);
  await expect.poll(() => lines.filter(({ msg }) => msg === 'request')).toMatchObject([{ status: 400 }]);
  expect(answered).toMatchObject([{ method: 'POST', status: 400 }]);
});
